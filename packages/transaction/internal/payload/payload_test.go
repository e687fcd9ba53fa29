package payload

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"
)

func TestReaderAndWriteAgree(t *testing.T) {
	for _, size := range []int64{0, 1, BlockSize - 1, BlockSize, BlockSize + 1, 3*BlockSize + 17} {
		read, err := io.ReadAll(Reader(size))
		if err != nil {
			t.Fatal(err)
		}
		var written bytes.Buffer
		if err := Write(&written, size); err != nil {
			t.Fatal(err)
		}
		if int64(len(read)) != size || !bytes.Equal(read, written.Bytes()) {
			t.Errorf("size %d: read %d, written %d, equal %t", size, len(read), written.Len(), bytes.Equal(read, written.Bytes()))
		}
	}
}

func TestOneBlockDoesNotCompress(t *testing.T) {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	if err := Write(zip, BlockSize); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	if packed.Len() < BlockSize {
		t.Errorf("%d bytes became %d", BlockSize, packed.Len())
	}
}

func TestSwallowCounts(t *testing.T) {
	total, err := Swallow(Reader(100_001), make([]byte, 1_000))
	if err != nil || total != 100_001 {
		t.Errorf("%d, %v", total, err)
	}
}
