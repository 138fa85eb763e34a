# Trains, and does everything else, on the CPU. Build the packages first (scripts/package), then, from the checkout's root:
#   docker build --file docker/train.Dockerfile --tag translate-mt-train .
#   docker run --volume "$PWD:/work" --user "$(id -u):$(id -g)" translate-mt-train --config my.json
# Runs are written under the folder that is mounted at /work.
FROM debian:12-slim
RUN --mount=type=bind,source=build/packages,target=/packages \
    apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
        /packages/translate-mt_*.deb /packages/translate-mt-train_*.deb \
    && rm -rf /var/lib/apt/lists/*
RUN mkdir /work && chmod 777 /work
WORKDIR /work
STOPSIGNAL SIGTERM
ENTRYPOINT ["translate-train"]
