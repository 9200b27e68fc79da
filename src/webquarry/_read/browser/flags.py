"""The flags that a browser is started with: none of its own traffic, no way to the network."""

from __future__ import annotations

from webquarry._read.browser.isolation import Isolation
from webquarry._read.browser.program import Program

HEAP_MB = 512  # of one page's scripts

_FLAGS = (
    "--remote-debugging-pipe",
    "--no-startup-window",  # no page before the first one that is asked for
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--mute-audio",
    "--hide-scrollbars",
    "--disable-extensions",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--metrics-recording-only",
    "--no-pings",
    "--dns-prefetch-disable",
    "--password-store=basic",
    "--use-mock-keychain",
    # A proxy that is not there, and a resolver that knows no name, that of the proxy included.
    "--proxy-server=http://127.0.0.1:1",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,"
    "Prerender2,FedCm,WebTransport,SpareRendererForSitePerProcess,AudioServiceOutOfProcess",
    # The same random numbers each time: a recorded page asks for the same addresses again.
    f"--js-flags=--max-old-space-size={HEAP_MB} --random-seed=7",
)


def list_arguments(program: Program, isolation: Isolation, profile: str) -> list[str]:
    """The whole command."""
    arguments = [*isolation.prefix, program.path]
    if not program.is_shell:
        arguments.append("--headless")
    if not isolation.has_sandbox:
        arguments.append("--no-sandbox")
    return [*arguments, *_FLAGS, f"--user-data-dir={profile}"]
