"""`install`: a DuckDB connection comes in, and the database behind it has our functions.

Functions belong to the database, macros to the connection. Whether a database has them already is
asked of the database itself: one of its functions tells which of our instances it belongs to, so
two names of one database are not two.

DuckDB calls a function by a bare pointer and lets go of it when the connection that registered it
is closed, although other connections still see the function. So ours are never let go of (they are
small); a marker that nobody calls, and that we do not hold, tells when the connection has been
closed.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import threading
import weakref
from collections.abc import Callable, Mapping
from typing import Any

from webquarry.ask.keys import MODEL_KEY, SEARCH_KEY
from webquarry.errors import BadInput
from webquarry.settings import Settings
from webquarry.surfaces.sql.functions.catalogue import functions, macros
from webquarry.surfaces.sql.functions.function import INNER
from webquarry.surfaces.sql.functions.setters import without_arguments
from webquarry.surfaces.sql.functions.types import Shape, sql_type
from webquarry.surfaces.sql.instance import Instance
from webquarry.surfaces.sql.interrupts import watcher
from webquarry.surfaces.sql.libraries import library, need_all

_TELL = f"{INNER}instance"
_LOCK = threading.RLock()
_INSTANCES: list[Instance] = []  # by number; never let go of, see above
_HELD: list[Callable[..., Any]] = []
_NUMBERS = itertools.count(1)


class _Marker:
    """A function that nobody calls; it lives exactly as long as the connection that has registered
    it is open.
    """

    def __call__(self, *columns: Any) -> Any:
        return columns[0]


class _Lease:
    """One connection that may use the functions."""

    def __init__(self, connection: Any, instance: Instance) -> None:
        self.connection = weakref.ref(connection)
        self.names: list[str] = []
        self.instance = instance

    def end(self) -> None:
        """At the end of the process: functions that are still registered would be reported as
        leaks.
        """
        connection = self.connection()
        if connection is None:
            return
        for name in self.names:
            with contextlib.suppress(
                Exception
            ):  # closed in the meantime, or busy: nothing is left to be done
                connection.remove_function(name)


_LEASES: dict[int, _Lease] = {}


def install(
    connection: Any,
    *,
    api_key: str | None = None,
    brave_api_key: str | None = None,
    settings: Settings | None = None,
    environ: Mapping[str, str] | None = None,
) -> Instance:
    """Give a connection and its database our functions. Doing it twice changes nothing but the keys
    that are given.
    """
    need_all()
    connection = _bare(connection)
    with _LOCK:
        instance = find(connection)
        if instance is None:
            environ = os.environ if environ is None else environ
            instance = Instance(settings or Settings.from_environment(environ), environ)
            _register(connection, instance)
        else:
            _lease(connection, instance)
        watcher.watch(instance)
        for statement in macros():
            connection.execute(statement).fetchall()
    for variable, value in ((MODEL_KEY, api_key), (SEARCH_KEY, brave_api_key)):
        if value is not None:
            instance.set_key(variable, value)
    return instance


def _bare(connection: Any) -> Any:
    """DuckDB's own connection, where a library (SQLAlchemy) hands out a wrapper that may go before
    it.
    """
    return getattr(connection.create_function, "__self__", connection)


def find(connection: Any) -> Instance | None:
    """The instance of the database behind a connection, if our functions are there."""
    with connection.cursor() as cursor:  # an error there does not abort the user's transaction
        try:
            number: int = cursor.execute(f"SELECT {_TELL}()").fetchall()[0][0]
        except library("duckdb").CatalogException:
            return None
    return _INSTANCES[number]


def _check_no_transaction(connection: Any) -> None:
    """Each statement is a transaction of its own, unless one is open; a rollback of that would take
    the functions away.
    """
    first, second = (connection.execute("SELECT txid_current()").fetchall() for _ in range(2))
    if first == second:
        raise BadInput(
            "The functions cannot be installed inside an open transaction.",
            suggested_action="COMMIT or ROLLBACK first, then install.",
        )


def _register(connection: Any, instance: Instance) -> None:
    _check_no_transaction(connection)
    lease = _lease(connection, instance)
    _INSTANCES.append(instance)
    number = len(_INSTANCES) - 1
    try:
        for function in functions():
            _create(
                connection,
                lease,
                function.inner,
                function.door(instance, inner=True),
                function.shape,
            )
            if function.public:
                _create(
                    connection,
                    lease,
                    function.name,
                    function.door(instance, inner=False),
                    function.shape,
                )
        for name, (read, shape) in without_arguments(instance).items():
            _create_plain(connection, lease, name, read, shape)
        _create_plain(connection, lease, _TELL, lambda: number, "BIGINT")
    except library("duckdb").Error as error:
        lease.end()
        raise BadInput(
            f"This database has a function of the same name already: {error}.",
            suggested_action="Open it without the extension that brings the function.",
        ) from error


def _create(
    connection: Any, lease: _Lease, name: str, door: Callable[..., Any], shape: Shape
) -> None:
    _HELD.append(door)
    connection.create_function(
        name,
        door,
        None,
        connection.type(sql_type(shape)),
        type="arrow",
        null_handling="special",
        side_effects=True,
    )
    lease.names.append(name)


def _create_plain(
    connection: Any, lease: _Lease, name: str, read: Callable[[], Any], shape: Shape
) -> None:
    _HELD.append(read)
    connection.create_function(
        name, read, [], connection.type(sql_type(shape)), null_handling="special", side_effects=True
    )
    lease.names.append(name)


def _lease(connection: Any, instance: Instance) -> _Lease:
    """Notice when the connection is closed; the last one to go releases what the instance has
    opened.
    """
    for lease in _LEASES.values():
        if lease.connection() is connection and lease.instance is instance:
            return lease
    number = next(_NUMBERS)
    lease = _LEASES[number] = _Lease(connection, instance)
    marker = _Marker()
    name = f"{INNER}lease {number}"
    connection.create_function(
        name,
        marker,
        None,
        connection.type("VARCHAR"),
        type="arrow",
        null_handling="special",
        side_effects=True,
    )
    lease.names.append(name)
    weakref.finalize(marker, _gone, number).atexit = False
    return lease


def _gone(number: int) -> None:
    lease = _LEASES.pop(number, None)
    if lease is not None and not any(
        other.instance is lease.instance for other in _LEASES.values()
    ):
        lease.instance.release()


@atexit.register
def _at_exit() -> None:
    for lease in list(_LEASES.values()):
        lease.end()
    for instance in _INSTANCES:
        instance.release()
