# A server for others, which does not begin before there is a token:
#   docker build -t webquarry .
#   docker run --rm -v webquarry:/data webquarry webquarry token add laptop
#   docker run -p 8000:8000 -v webquarry:/data webquarry
FROM python:3.13-slim AS build
WORKDIR /src
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev # for the extension module
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY src ./src
RUN python -m venv /opt/webquarry && /opt/webquarry/bin/pip install --no-cache-dir '.[http]'

FROM python:3.13-slim
RUN useradd --system --uid 10001 --home-dir /data --create-home webquarry
COPY --from=build /opt/webquarry /opt/webquarry
# Tokens, records and cache are below /data; mount something that lasts there.
ENV PATH=/opt/webquarry/bin:$PATH \
    HOME=/data \
    XDG_CONFIG_HOME=/data/config \
    XDG_STATE_HOME=/data/state \
    XDG_CACHE_HOME=/data/cache \
    WEBQUARRY_LOG_FORMAT=json \
    WEBQUARRY_LOG_LEVEL=info
USER webquarry
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=3s --start-period=10s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health/live', timeout=2)"]
CMD ["webquarry", "mcp", "--http", "--host", "0.0.0.0", "--port", "8000"]
