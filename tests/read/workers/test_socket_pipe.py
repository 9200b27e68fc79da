"""The socket to a worker process: bytes in the order in which they came, and clear ends."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable

import pytest

from webquarry.read.workers.processes.socket_pipe import SocketPipe

Work = Callable[[SocketPipe, socket.socket], Awaitable[None]]


def with_pipe(work: Work) -> None:
    """Do something with a pipe, and with the other side of it."""

    async def run() -> None:
        ours, theirs = socket.socketpair()
        theirs.setblocking(False)
        with theirs:
            loop = asyncio.get_running_loop()
            _, pipe = await loop.create_unix_connection(SocketPipe, sock=ours)
            await work(pipe, theirs)
            pipe.close()
            await pipe.wait_closed()

    asyncio.run(run())


def test_what_comes_in_pieces_is_given_as_it_is_asked_for() -> None:
    async def work(pipe: SocketPipe, theirs: socket.socket) -> None:
        reading = asyncio.create_task(pipe.readexactly(6))
        for piece in (b"ab", b"cd", b"efgh"):
            await asyncio.sleep(0)
            theirs.send(piece)
        assert await reading == b"abcdef"
        assert await pipe.readexactly(2) == b"gh"
        assert not pipe.at_eof()

    with_pipe(work)


def test_an_end_in_the_middle_says_what_had_come() -> None:
    async def work(pipe: SocketPipe, theirs: socket.socket) -> None:
        theirs.send(b"abc")
        theirs.shutdown(socket.SHUT_WR)
        with pytest.raises(asyncio.IncompleteReadError) as raised:
            await pipe.readexactly(4)
        assert raised.value.partial == b"abc"
        assert pipe.at_eof()

    with_pipe(work)


def test_a_side_that_reads_nothing_holds_up_the_writer_and_loses_nothing() -> None:
    async def work(pipe: SocketPipe, theirs: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        pieces = [bytes([number]) * (1 << 18) for number in range(8)]

        async def send() -> None:
            for piece in pieces:
                pipe.write(piece)
                await pipe.drain()

        sending = asyncio.create_task(send())
        for _ in range(100):
            await asyncio.sleep(0)
        assert not sending.done()
        got = b""
        while len(got) < sum(map(len, pieces)):
            got += await loop.sock_recv(theirs, 1 << 16)
        await sending
        assert got == b"".join(pieces)

    with_pipe(work)


def test_more_than_is_wanted_waits_on_the_other_side() -> None:
    async def work(pipe: SocketPipe, theirs: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        data = bytes(range(256)) * (1 << 14)
        sending = asyncio.create_task(loop.sock_sendall(theirs, data))
        first = await pipe.readexactly(1)
        for _ in range(100):
            await asyncio.sleep(0)
        assert not sending.done()
        rest = await pipe.readexactly(len(data) - 1)
        await sending
        assert first + rest == data

    with_pipe(work)


def test_whoever_writes_to_nobody_is_told() -> None:
    async def work(pipe: SocketPipe, theirs: socket.socket) -> None:
        async def write_on() -> None:
            while True:
                pipe.write(bytes(1 << 18))
                await pipe.drain()
                await asyncio.sleep(0)

        theirs.close()
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            await write_on()

    with_pipe(work)
