"""`uvicorn server.app:app`: where OpenEnv looks for the application. All of it is in revops_ma."""

from revops_ma.cli.serve import serve
from revops_ma.server.app import build

app = build()


def main() -> None:
    """Serve on the address of REVOPS_MA_HOST and REVOPS_MA_PORT."""
    serve()


if __name__ == "__main__":
    main()
