"""A policy that `sciql export` wrote, at work with onnxruntime alone.

`python act.py policy.onnx STYLE < observations.json` reads a JSON list of observations and prints a JSON list of
actions, with the mean of those that would be drawn.
"""

import json
import sys

import numpy as np
import onnxruntime

path, style = sys.argv[1:3]
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1  # one observation is far too little work for threads
session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
about = session.get_modelmeta().custom_metadata_map

observations = np.array(json.load(sys.stdin), np.float32)
styles = json.loads(about["styles"])
inputs = {
    "observation": observations,
    "style": np.full(len(observations), styles.index(style) if styles else 0),
}
if "noise" in (known.name for known in session.get_inputs()):
    # Standard normal numbers would draw; zeros give the mean.
    inputs["noise"] = np.zeros((len(observations), len(json.loads(about["action_names"]))), np.float32)
(actions,) = session.run(["action"], inputs)
print(json.dumps(np.asarray(actions).tolist()))
