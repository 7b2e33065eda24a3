# syntax=docker/dockerfile:1
# The broker with popupctl in one small image; the broker starts unless told otherwise. With `--target examples`: the same
# with the programs of some examples.

FROM swift:6.3-bookworm AS build
# Debian keeps one version a release: a pinned one is soon gone.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends libsqlite3-dev libzmq3-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
# Dependencies change seldom: a layer of their own.
COPY Package.swift Package.resolve[d] ./
RUN swift package resolve
COPY Sources ./Sources
COPY Tests ./Tests
COPY Examples ./Examples
RUN swift build -c release --static-swift-stdlib --disable-local-rpath \
    && bin=$(swift build -c release --static-swift-stdlib --disable-local-rpath --show-bin-path) \
    && install -d /programs \
    && install -s -t /programs \
        "$bin/popup-broker" "$bin/popupctl" "$bin/line-producer" "$bin/replay-producer" "$bin/terminal-renderer"

FROM debian:bookworm-slim AS broker
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends libsqlite3-0 libzmq5 tzdata \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt /var/log/apt /var/log/dpkg.log \
    && useradd --system --uid 10570 --user-group --no-create-home --shell /usr/sbin/nologin popup \
    && install -d -m 700 -o popup -g popup /var/lib/popup-broker
COPY --from=build /programs/popup-broker /programs/popupctl /usr/local/bin/
COPY Examples/containers/popup-broker.yaml /etc/popup-broker/
USER 10570
# What is committed outlives the container.
VOLUME /var/lib/popup-broker
EXPOSE 5570 5571
STOPSIGNAL SIGTERM
# A question over both sockets.
HEALTHCHECK --interval=10s --timeout=5s --start-period=5s --retries=3 CMD ["popupctl", "ping", "--timeout", "3s"]
ENTRYPOINT ["popup-broker"]
CMD ["run", "--config", "/etc/popup-broker/popup-broker.yaml"]

FROM broker AS examples
COPY --from=build /programs/line-producer /programs/replay-producer /programs/terminal-renderer /usr/local/bin/
COPY Examples/containers/load.yaml Examples/line-producer/rules/*.yaml Examples/replay-producer/lobby.jsonl \
    /usr/share/popup-broker/
HEALTHCHECK NONE

# What is built unless told otherwise.
FROM broker
