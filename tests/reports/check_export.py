"""Reads exports with other people's readers: Perfetto's own definitions, jsonschema, Python's csv and json.

    check_export.py ZEROSTALL VENV TRACE...

Makes the virtual environment VENV from requirements-export.txt where it is missing; ends with 77 (skipped) where the
packages cannot be had."""
import csv
import io
import json
import pathlib
import subprocess
import sys
import venv

HERE = pathlib.Path(__file__).parent


def environment(folder):
    stamp, wanted = folder / ".ready", (HERE / "requirements-export.txt").read_text() + sys.version
    if not stamp.exists() or stamp.read_text() != wanted:
        venv.create(folder, clear=True, with_pip=True)
        install = ["install", "-q", "--disable-pip-version-check", "--no-deps", "-r", HERE / "requirements-export.txt"]
        if subprocess.run([folder / "bin/python", "-m", "pip", *install]).returncode != 0:
            print("skipped: the packages of requirements-export.txt cannot be installed")
            sys.exit(77)
        stamp.write_text(wanted)
    return folder / "bin/python"


def export(zerostall, *arguments):
    return subprocess.run([zerostall, "export", *arguments], check=True, stdout=subprocess.PIPE).stdout


def check_known(message):
    """No field that the definitions do not have: a wrong number would end there."""
    from google.protobuf.unknown_fields import UnknownFieldSet
    assert len(UnknownFieldSet(message)) == 0, message
    for field, value in message.ListFields():
        if field.message_type is not None:
            for inner in value if field.is_repeated else [value]:
                check_known(inner)


def check_perfetto(data):
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2
    trace = perfetto_trace_pb2.Trace()
    trace.ParseFromString(data)
    check_known(trace)
    names, tracks, open_slices, slices = {}, {}, {}, {}
    for packet in trace.packet:
        for entry in packet.interned_data.event_names:
            names[entry.iid] = entry.name
        if packet.HasField("track_descriptor"):
            track = packet.track_descriptor
            assert not track.HasField("parent_uuid") or track.parent_uuid in tracks
            tracks[track.uuid] = track.name or track.thread.thread_name or track.process.process_name
        if packet.HasField("track_event"):
            event = packet.track_event
            stack = open_slices.setdefault(event.track_uuid, [])
            if event.type == event.TYPE_SLICE_BEGIN:
                stack.append(packet.timestamp)
                slices.setdefault(tracks[event.track_uuid].split(" (")[0], []).append(names[event.name_iid])
            if event.type == event.TYPE_SLICE_END:
                assert stack.pop() <= packet.timestamp
    assert not any(open_slices.values())
    return slices


def check(zerostall, trace):
    from jsonschema import Draft7Validator
    schema = json.loads(export(zerostall, "--schema"))
    Draft7Validator.check_schema(schema)
    document = json.loads(export(zerostall, trace, "--format", "json"))
    Draft7Validator(schema).validate(document)
    waits = [w for process in document["processes"] for w in process["waits"] if w["host_wait"]]
    steps = [s for process in document["processes"] for s in process["steps"]]
    assert waits and steps

    slices = check_perfetto(export(zerostall, trace, "--format", "perfetto"))
    assert sorted(slices["waits"]) == sorted(w["what"] for w in waits)
    assert sum(name.startswith("step ") for name in slices["steps"]) == len(steps)

    chrome = json.loads(export(zerostall, trace, "--format", "chrome"))
    names = [event["name"] for event in chrome["traceEvents"] if event["ph"] == "X"]
    assert sum(name.startswith("ProfilerStep#") for name in names) == len(steps)

    for table, rows in (("waits", waits), ("steps", steps)):
        text = export(zerostall, trace, "--format", "csv", "--table", table).decode()
        records = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
        assert len([r for r in records if r.get("host_wait", "true") == "true"]) == len(rows)
        assert [int(r["begin_ns"]) for r in records if r.get("host_wait", "true") == "true"] == [r["begin_ns"] for r in rows]


def main():
    if sys.argv[1] == "--within":
        for trace in sys.argv[3:]:
            check(sys.argv[2], trace)
        return 0
    python = environment(pathlib.Path(sys.argv[2]))
    return subprocess.run([python, "-B", __file__, "--within", sys.argv[1], *sys.argv[3:]]).returncode


sys.exit(main())
