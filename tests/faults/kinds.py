"""Small models of every kind, for tests of files, signals and limits: posteriors, likelihoods, kinds of files, inputs and
equations.

    make_data(gpode, folder)                  writes the data files
    KINDS["joint"]                            the arguments of `gpode fit` that make a model of this kind in about a second
"""
import subprocess

EQUATIONS = "param g ~ lognormal(0, 1)\ndx1 = g * x2\ndx2 = gp friction(x1, x2)\n"

TINY = ["--inducing", "4", "--features", "8", "--threads", "1", "--quiet"]
TRAINED = ["--iterations", "60", "--patience", "0", *TINY]
SAMPLED = ["--sampler-warm-up", "4", "--sampler-draws", "4", "--sampler-max-depth", "3", *TINY]
GPODE = ["--model", "gpode", "--posterior"]

KINDS = {
    "blocks": ["v.csv", *GPODE, "blocks", *TRAINED],
    "normals": ["v.csv", *GPODE, "normals", *TRAINED],
    "point": ["v.csv", "--model", "npode", *TRAINED],
    "shooting": ["v.csv", "--model", "shooting", "--posterior", "blocks", *TRAINED],
    "network": ["v.csv", "--model", "neural", "--neural-slope-steps", "20", *TRAINED],
    "network-vi": ["v.csv", "--model", "neural-vi", "--neural-slope-steps", "20", *TRAINED],
    "joint": ["v.csv", "--posterior", "joint", "--process-noise", "none", *SAMPLED],
    "nuts": ["v.csv", "--posterior", "nuts", "--sampler-chains", "2", "--process-noise", "none", *SAMPLED],
    "draws": ["v.csv", "--model", "gpode-hmc", "--sampler-chains", "2", *SAMPLED],
    "process-noise": ["v.csv", "--posterior", "joint", "--process-noise", "0.1,0.2", *SAMPLED],
    "polynomial": ["v.csv", "--posterior", "joint", "--process-noise", "none", "--kernel", "se + polynomial2", *SAMPLED],
    "student-t": ["v.csv", *GPODE, "blocks", "--likelihood", "student-t", *TRAINED],
    "poisson": ["c.csv", *GPODE, "blocks", "--likelihood", "poisson", *TRAINED],
    "negative-binomial": ["c.csv", *GPODE, "blocks", "--likelihood", "negative-binomial", *TRAINED],
    "lognormal": ["c1.csv", *GPODE, "blocks", "--likelihood", "lognormal", *TRAINED],
    "equations": ["v.csv", "--equations", "e.ode", "--posterior", "blocks", *TRAINED],
    "form": ["v.csv", "--form", "second-order", "--damping", "learnt", "--channels", "x1", "--posterior", "blocks",
             *TRAINED],
    "inputs": ["u.csv", "--inputs", "u", *GPODE, "blocks", *TRAINED],
    "time": ["v.csv", "--time-input", *GPODE, "blocks", *TRAINED],
    "gaps": ["g.npz", *GPODE, "blocks", *TRAINED],
    "holdout": ["v.csv", "--holdout", "0.3", *GPODE, "blocks", *TRAINED],
    "components": ["p.csv", "--observe", "pca", "--states", "2", *GPODE, "blocks", *TRAINED],
    "dates": ["d.csv", *GPODE, "blocks", *TRAINED],
    "stiff": ["v.csv", "--solver", "esdirk4", *GPODE, "blocks", *TRAINED],
}

# Kinds whose fits take several seconds.
SLOW = ["joint", "process-noise", "polynomial"]


def make_data(gpode, folder):
    """Writes the files that KINDS names."""
    def simulate(system, name, *words):
        subprocess.run([gpode, "simulate", system, "--points", "12", "-o", name, "--truth", "truth.csv", "--quiet",
                        *words], cwd=folder, check=True)
    simulate("vdp", "v.csv", "--noise", "0.05")
    simulate("lotka-volterra", "c.csv", "--counts", "10")
    simulate("vdp", "g.npz", "--noise", "0.05", "--trajectories", "2", "--missing", "0.2")
    (folder / "e.ode").write_text(EQUATIONS)
    rows = [line.split(",") for line in (folder / "v.csv").read_text().split()]
    numbers = [[float(cell) for cell in row] for row in rows[1:]]

    def write(name, header, lines):
        (folder / name).write_text("\n".join([header, *lines]) + "\n")
    write("u.csv", "time,x1,x2,u", [f"{t},{x},{y},{(n // 3) % 2}" for n, (t, x, y) in enumerate(numbers)])
    write("p.csv", "time,a,b,c", [f"{t},{x},{y},{x - 2 * y}" for t, x, y in numbers])
    write("d.csv", "date,x1,x2", [f"2020-01-{n + 1:02},{x},{y}" for n, (t, x, y) in enumerate(numbers)])
    counts = [[float(cell) for cell in line.split(",")] for line in (folder / "c.csv").read_text().split()[1:]]
    write("c1.csv", "time,x1,x2", [f"{t},{x + 1},{y + 1}" for t, x, y in counts])
    (folder / "truth.csv").unlink()
