// A policy that `sciql export` wrote, in Node.js or in a browser: the file's bytes go in, actions come out.
import * as ort from "onnxruntime-web";

ort.env.wasm.numThreads = 1; // one observation is far too little work for threads

/** The policy in these bytes: its names and bounds, and `act(observations, style, noise)`. */
export async function loadPolicy(bytes) {
  const about = metadata(bytes);
  const session = await ort.InferenceSession.create(bytes);
  const width = about.observation_names.length;
  const drawn = session.inputNames.includes("noise");

  /** One action for each observation: an array of numbers, or the number of the action where they are discrete. */
  async function act(observations, style, noise = () => gaussian()) {
    const number = typeof style === "number" ? style : about.styles.indexOf(style);
    if (about.styles.length && !about.promptable[number]) throw new Error(`there is no style ${style} to ask for`);
    const count = observations.length;
    const inputs = {
      observation: new ort.Tensor("float32", Float32Array.from(observations.flat()), [count, width]),
      style: new ort.Tensor("int64", new BigInt64Array(count).fill(BigInt(Math.max(number, 0))), [count]),
    };
    if (drawn) {
      const values = Float32Array.from({ length: count * about.action_names.length }, noise);
      inputs.noise = new ort.Tensor("float32", values, [count, about.action_names.length]);
    }
    const { action } = await session.run(inputs);
    const numbers = Array.from(action.data, Number);
    if (action.dims.length === 1) return numbers;
    return observations.map((_, row) => numbers.slice(row * action.dims[1], (row + 1) * action.dims[1]));
  }

  return { ...about, act };
}

/** A standard normal number. */
function gaussian() {
  return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
}

/** What sciql wrote into the file beside the network: onnxruntime-web does not tell, but it is quickly found. */
function metadata(bytes) {
  const found = {};
  for (const [field, entry] of fields(bytes)) {
    if (field !== 14) continue; // metadata_props of ONNX's ModelProto
    const [key, value] = [...fields(entry)].map(([, text]) => new TextDecoder().decode(text));
    if (key !== "format") found[key] = JSON.parse(value);
  }
  return found;
}

/** The fields of a protobuf message that have a length; those of ONNX's outermost message are these or plain numbers. */
function* fields(bytes) {
  let place = 0;
  const number = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[place++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (place < bytes.length) {
    const tag = number();
    const size = number(); // of a plain number it is the number itself
    if ((tag & 7) === 2) {
      yield [tag >> 3, bytes.subarray(place, place + size)];
      place += size;
    }
  }
}
