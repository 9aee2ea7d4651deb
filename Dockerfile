# The command line alone: docker build -t gpu2ascend . ; docker run --rm -v "$PWD:/work" gpu2ascend check .
FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml README.md CHANGELOG.md LICENSE ./
COPY rules rules
COPY server server
COPY tools/build_rule_pages.py tools/published_readme.py tools/
RUN python -m venv /opt/gpu2ascend && /opt/gpu2ascend/bin/pip install --no-cache-dir .

FROM python:3.12-slim
COPY --from=build /opt/gpu2ascend /opt/gpu2ascend
ENV PATH=/opt/gpu2ascend/bin:$PATH
RUN useradd --create-home user
USER user
WORKDIR /work
ENTRYPOINT ["gpu2ascend"]
CMD ["--help"]
