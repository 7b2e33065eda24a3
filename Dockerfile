# syntax=docker/dockerfile:1
# The broker, popupctl and the examples' programs in one small image; the broker starts unless told otherwise.

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
RUN swift build -c release --static-swift-stdlib \
    && bin=$(swift build -c release --static-swift-stdlib --show-bin-path) \
    && install -d /image/usr/local/bin /image/etc/popup-broker /image/usr/share/popup-broker \
    && install -s -t /image/usr/local/bin \
        "$bin/popup-broker" "$bin/popupctl" "$bin/line-producer" "$bin/replay-producer" "$bin/terminal-renderer" \
    && install -m 644 -t /image/etc/popup-broker Examples/containers/popup-broker.yaml \
    && install -m 644 -t /image/usr/share/popup-broker \
        Examples/containers/load.yaml Examples/line-producer/rules/*.yaml Examples/replay-producer/lobby.jsonl

FROM debian:bookworm-slim
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends libsqlite3-0 libzmq5 tzdata \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10570 --user-group --no-create-home --shell /usr/sbin/nologin popup \
    && install -d -m 700 -o popup -g popup /var/lib/popup-broker
COPY --from=build /image /
USER 10570
# What is committed outlives the container.
VOLUME /var/lib/popup-broker
EXPOSE 5570 5571
STOPSIGNAL SIGTERM
ENTRYPOINT ["popup-broker"]
CMD ["run", "--config", "/etc/popup-broker/popup-broker.yaml"]
