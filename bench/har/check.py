"""check.py FOLDER: a line of JSON for each HAR file: what hario-core finds wrong, and the secrets that har-capture finds."""

import json
import pathlib
import sys

import hario_core.parse
from har_capture.validation.secrets import validate_har

for path in sorted(pathlib.Path(sys.argv[1]).glob("*.har")):
    try:
        hario_core.parse.parse(path)
        wrong = []
    except ValueError as error:
        wrong = [str(error.__cause__ or error)]
    secrets = [f"{found.location} {found.field}: {found.reason}" for found in validate_har(path) if found.severity == "error"]
    print(json.dumps({"file": path.name, "wrong": wrong, "secrets": secrets}))
