# The program in a container, its sessions in a volume (a folder of the host in its place must be there, and be the user's: 1000):
# docker build -t stepwright . && docker run -it --rm -v stepwright:/home/user/.local/state/stepwright stepwright
FROM rust:1.95-slim-bookworm AS build
WORKDIR /source
# The compiler of the image, whatever rust-toolchain.toml names.
ENV RUSTUP_TOOLCHAIN=$RUST_VERSION
COPY . .
RUN cargo build --release --locked

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates python3 && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home user && mkdir -p /home/user/.local/state/stepwright && chown -R user:user /home/user/.local
COPY --from=build /source/target/release/stepwright /usr/local/bin/stepwright
COPY python/stepwright /usr/local/lib/python3.11/dist-packages/stepwright
USER user
WORKDIR /home/user
ENV TERM=xterm-256color LANG=C.UTF-8
ENTRYPOINT ["stepwright"]
