# The program in a container: docker build -t stepwright . && docker run -it --rm -v "$HOME/.local/state/stepwright:/home/user/.local/state/stepwright" stepwright
FROM rust:1.95-slim-bookworm AS build
WORKDIR /source
COPY . .
RUN cargo build --release --locked

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates python3 && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home user
COPY --from=build /source/target/release/stepwright /usr/local/bin/stepwright
COPY python/stepwright /usr/local/lib/python3.11/dist-packages/stepwright
USER user
WORKDIR /home/user
ENV TERM=xterm-256color LANG=C.UTF-8
ENTRYPOINT ["stepwright"]
