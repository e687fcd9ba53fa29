// Package payload makes bodies of requests and responses, and swallows them, without holding one in memory.
package payload

import (
	"io"
	"math/rand/v2"
)

// BlockSize is what is read and written at a time, by client and server and over every protocol.
const BlockSize = 32 << 10

// block is what bodies are made of: nothing that compresses, the same in every process.
var block = func() []byte {
	random := rand.NewChaCha8([32]byte{'p', 'r', 'o', 'n', 'g', 'h', 'o', 'r', 'n'})
	bytes := make([]byte, BlockSize)
	_, _ = random.Read(bytes) // which never fails
	return bytes
}()

// Reader returns a body of size bytes.
func Reader(size int64) io.Reader { return &reader{left: size} }

type reader struct{ at, left int64 }

func (r *reader) Read(into []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	part := block[r.at%BlockSize:]
	n := copy(into, part[:min(int64(len(part)), r.left)])
	r.at += int64(n)
	r.left -= int64(n)
	return n, nil
}

// Write writes a body of size bytes block by block.
func Write(to io.Writer, size int64) error {
	for size > 0 {
		n, err := to.Write(block[:min(BlockSize, size)])
		size -= int64(n)
		if err != nil {
			return err
		}
	}
	return nil
}

// Swallow reads to the end into a buffer of the caller's, which makes it cheap to call often, and returns the number of bytes.
func Swallow(from io.Reader, buffer []byte) (int64, error) {
	var total int64
	for {
		n, err := from.Read(buffer)
		total += int64(n)
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}
