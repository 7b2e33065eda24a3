# syntax=docker/dockerfile:1
# The broker with popupctl in one small image; the broker starts unless told otherwise. With `--target examples`: the same
# with the programs of some examples. With `--target gateway`: popups over HTTP.

FROM swift:6.3-bookworm AS tools
# Debian keeps one version a release: a pinned one is soon gone.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends busybox-static libsqlite3-dev libzmq3-dev pkg-config python3 tzdata \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY Scripts/image-root.sh /usr/local/bin/image-root

FROM tools AS build
# Dependencies change seldom: a layer of their own.
COPY Package.swift Package.resolve[d] ./
RUN swift package resolve
COPY Sources ./Sources
COPY Tests ./Tests
COPY Examples ./Examples
COPY Benchmarks ./Benchmarks
# The programs share the Swift runtime: its tables for all languages are the largest part of an image. What no image has, such
# as the other examples, is not built.
RUN for program in popup-broker popupctl line-producer replay-producer terminal-renderer; do \
        swift build -c release --disable-local-rpath --product "$program" || exit 1; \
    done \
    && ln -s "$(swift build -c release --show-bin-path)" /programs
COPY LICENSE ./
COPY Packaging/licenses ./Packaging/licenses
COPY Scripts/licenses.py ./Scripts/
RUN Scripts/licenses.py popup-broker popupctl > /licenses.txt \
    && image-root /roots/broker /licenses.txt /programs/popup-broker /programs/popupctl
RUN Scripts/licenses.py popup-broker popupctl line-producer replay-producer terminal-renderer > /licenses.txt \
    && image-root /roots/examples /licenses.txt /programs/popup-broker /programs/popupctl /programs/line-producer \
        /programs/replay-producer /programs/terminal-renderer

FROM build AS build-gateway
COPY Gateway ./Gateway
RUN swift build --package-path Gateway -c release --disable-local-rpath --product popup-gateway \
    && Scripts/licenses.py popup-gateway > /licenses.txt \
    && image-root /roots/gateway /licenses.txt "$(swift build --package-path Gateway -c release --show-bin-path)/popup-gateway"

# Without a distribution: the programs, their libraries, a shell.
FROM scratch AS gateway
COPY --from=build-gateway /roots/gateway /
RUN mkdir -p -m 755 /var/lib && mkdir -m 700 /var/lib/popup-gateway && chown 10570:10570 /var/lib/popup-gateway
COPY Examples/containers/popup-gateway.yaml /etc/popup-gateway/
USER 10570
# The file of tokens.
VOLUME /var/lib/popup-gateway
EXPOSE 8570 8571
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=5s --retries=3 \
    CMD ["wget", "-q", "-O", "/dev/null", "http://127.0.0.1:8571/readyz"]
ENTRYPOINT ["popup-gateway"]
CMD ["run", "--config", "/etc/popup-gateway/popup-gateway.yaml"]

FROM scratch AS examples
COPY --from=build /roots/examples /
COPY Examples/containers/popup-broker.yaml /etc/popup-broker/
COPY Examples/containers/load.yaml Examples/line-producer/rules/*.yaml Examples/replay-producer/lobby.jsonl \
    /usr/share/popup-broker/
USER 10570
ENTRYPOINT ["popup-broker"]
CMD ["run", "--config", "/etc/popup-broker/popup-broker.yaml"]

# What is built unless told otherwise.
FROM scratch AS broker
COPY --from=build /roots/broker /
RUN mkdir -p -m 755 /var/lib && mkdir -m 700 /var/lib/popup-broker && chown 10570:10570 /var/lib/popup-broker
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
