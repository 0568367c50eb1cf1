# Everything that `make test` needs, on Debian 12:
#
#   docker build -t larder .
#   docker run --rm --shm-size=2g larder            # make test
#   docker run --rm --shm-size=2g larder make compare
#
# Docker gives /dev/shm 64 MB without --shm-size; the tests need 1 GiB.
FROM debian:12

RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates git make

WORKDIR /larder
COPY . .
RUN git clean -qfdX
RUN dev/setup
RUN make vendor-dev extension

CMD ["make", "test"]
