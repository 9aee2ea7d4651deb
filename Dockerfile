# The command line alone. With --user, what it writes below the mounted folder is yours:
#   docker build -t gpu2ascend .
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/work" gpu2ascend check .
FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml README.md CHANGELOG.md LICENSE ./
COPY rules rules
COPY server server
COPY skills skills
COPY tools/build_rule_pages.py tools/published_readme.py tools/
RUN python -I -m venv /opt/gpu2ascend && /opt/gpu2ascend/bin/python -I -m pip install --no-cache-dir .

FROM python:3.12-slim
COPY --from=build /opt/gpu2ascend /opt/gpu2ascend
# A user whom the image does not know has no home: the environment of `verify` is kept where all may write.
ENV PATH=/opt/gpu2ascend/bin:$PATH XDG_CACHE_HOME=/tmp/cache
RUN useradd --create-home user
USER user
WORKDIR /work
# Isolated: nothing of the mounted project runs, whatever PYTHONPATH the container is given.
ENTRYPOINT ["/opt/gpu2ascend/bin/python", "-I", "-m", "gpu2ascend"]
CMD ["--help"]
