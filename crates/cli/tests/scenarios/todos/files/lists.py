"""The lists on the disk, the main agent's first."""
import json, os, pathlib

folder = pathlib.Path(os.environ["FORELOOK_HOME"]) / "todos"
for path in sorted(folder.iterdir(), key=lambda path: (path.stem.split("-agent-")[0] != path.stem.split("-agent-")[1], path.name)):
    session, agent = path.stem.split("-agent-")
    whose = "main" if session == agent else "helper"
    print(whose, oct(path.stat().st_mode & 0o777), [f"{todo['content']}: {todo['status']}" for todo in json.loads(path.read_text())])
