# Translates over HTTP, on the CPU. Build the package first (scripts/package translate-mt), then, from the checkout's root:
#   docker build --file docker/infer.Dockerfile --tag translate-mt .
#   docker run --publish 5000:5000 --volume /srv/translate/en-fr:/model:ro translate-mt
# It is reached as localhost or by an IP address; other names, also those of containers, need an option after the image's
# name: docker run ... translate-mt --allow-host translate
# /model is a checkpoint's folder. Other programs: docker run --rm -i --volume ... --entrypoint translate-infer translate-mt
FROM debian:12-slim
RUN --mount=type=bind,source=build/packages,target=/packages \
    apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends /packages/translate-mt_*.deb \
    && rm -rf /var/lib/apt/lists/*
RUN useradd --system --home-dir /nonexistent --shell /usr/sbin/nologin translate
USER translate
EXPOSE 5000
STOPSIGNAL SIGTERM
ENTRYPOINT ["translate-serve", "--checkpoint", "/model", "--device", "cpu", "--host", "0.0.0.0", "--port", "5000"]
