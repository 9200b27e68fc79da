"""A command of `fork_server.py`: hands over what a process has, and ends as the command did."""

import json
import os
import socket
import sys

server = socket.socket(socket.AF_UNIX)
server.connect(sys.argv[1])
command = {"arguments": sys.argv[2:], "folder": os.getcwd(), "environ": dict(os.environ)}
sent = json.dumps(command).encode() + b"\n"
server.sendall(sent[socket.send_fds(server, [sent], [0, 1, 2]) :])
told = server.recv(16)
sys.exit(int(told) if told else 70)
