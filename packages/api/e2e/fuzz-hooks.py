# Teaches Schemathesis to send gzip: what it makes up, packed, or as it is where that is no gzip.
import gzip

import schemathesis


@schemathesis.serializer("application/gzip")
def as_gzip(_context, value):
    content = bytes(value) if isinstance(value, (bytes, bytearray)) else str(getattr(value, "data", value)).encode("utf-8", "replace")
    return gzip.compress(content) if len(content) % 2 == 0 else content
