// The player: draws a motion on a canvas and lets people run it. Plain ES, no dependency.
//
//   const player = mount(element, { motion, plots })     // Motion.to_dict() and Plot.to_dict()s
//   player.seek(0.5); player.play(); player.pause(); player.show(otherData); player.destroy()
//
// A *position* is a place on the scrub bar, from 0 to 1; a *frame* may be a fraction (2.5 is half way from
// 2 to 3). Names come from other people's files: they become text nodes, never markup.

// ---- Colours (as in palette.py) -----------------------------------------------------------------

const GROUPS = ["#dd8a1b", "#249486", "#7a62c4", "#5c8f2f", "#bd4f95", "#2f7fc1"];
const TRACES = ["#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
// Groups of marks that look the same in every motion. Dashes are in widths; bodies lie at order 2, joints at 5.
const STYLES = {
  "band": { "colour": "trace", "width": 0, "dash": [], "fill": 0.2, "order": 3, "title": "tolerance band", "solid": false },
  "statistical": { "colour": "trace", "width": 0, "dash": [], "fill": 0.3, "order": 3.05, "title": "statistical band", "solid": false },
  "before": { "colour": "faint", "width": 1, "dash": [3.2, 3], "fill": 0, "order": 2.9, "title": "before the edit", "solid": false },
  "guide": { "colour": "stroke", "width": 0.9, "dash": [], "fill": 0, "order": 1.7, "title": "", "solid": false },
  "ground": { "colour": "stroke", "width": 0.9, "dash": [], "fill": 0.3, "order": 1.8, "title": "", "solid": true },
  "limit": { "colour": "#b83d85", "width": 1.1, "dash": [5, 2.4, 0.8, 2.4], "fill": 0, "order": 3.2, "title": "the motor stops here", "solid": false },
  "trace": { "colour": "trace", "width": 2, "dash": [], "fill": 0, "order": 3.4, "title": "path", "solid": false },
  "target": { "colour": "ink", "width": 1.7, "dash": [0.1, 2], "fill": 0, "order": 3.6, "title": "asked for", "solid": false },
  "motor": { "colour": "ink", "width": 1.1, "dash": [], "fill": 1, "order": 4.5, "title": "", "solid": false },
  "plate": { "colour": "#4f7cac", "width": 0.9, "dash": [], "fill": 0.32, "order": 2, "title": "", "solid": true },
  "actuator": { "colour": "#c26a12", "width": 4.2, "dash": [], "fill": 0, "order": 3.9, "title": "actuator", "solid": true },
  "sleeve": { "colour": "stroke", "width": 5, "dash": [], "fill": 0, "order": 3.9, "title": "", "solid": true }
};
// Lines and areas of plots that look the same in every plot; the least order lies at the back.
const LINES = { line: { width: 1.6 }, heavy: { width: 4.5, alpha: 0.75, order: 2 }, dashed: { width: 1, dash: [4, 3], colour: "faint", order: 1 } };
const AREAS = [0.45, 0.03, 0.18]; // how dense, in order of appearance
const SERIES = ["#2f6fb5", "#dd7f2a", "#2f9a78", "#8a63b3", "#6b7683", "#b8982b", "#bd4f95", "#3aa0b0"];
const SEQUENTIAL = ["#f4f3df", "#cfe6c5", "#8fd0bb", "#4fb3bd", "#2c8ab3", "#275b9c", "#1f2f6e"];
const DIVERGING = ["#245a9f", "#7fa8d2", "#f1f1ec", "#e2a76c", "#a9531b"];
const UNKNOWN = "#9aa3ad"; // a scalar that is not a number here
const FOG = 0.5; // how much paler what is farthest away is
const GAPS = 800; // strokes that still leave gaps in what they pass
const LEVELS = 256;
const STILL = 1e-6; // of how far a motion goes: less is rounding
const FONT = "12px system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', sans-serif";

function ramp(stops) {
  const rgb = stops.map((hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)));
  return Array.from({ length: LEVELS }, (_, level) => {
    const at = (level / (LEVELS - 1)) * (stops.length - 1);
    const low = Math.min(Math.floor(at), stops.length - 2);
    const mixed = rgb[low].map((c, i) => Math.round(c + (at - low) * (rgb[low + 1][i] - c)));
    return `rgb(${mixed.join(",")})`;
  });
}

// The colour scale of a scalar: symmetric about zero when both signs occur.
function colourScale(rows) {
  let low = Infinity, high = -Infinity;
  for (const value of rows) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) [low, high] = [0, 1];
  const diverging = low < 0 && high > 0;
  if (diverging) [low, high] = [-Math.max(-low, high), Math.max(-low, high)];
  if (low === high) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  if (low === high) high = low + 1;
  const colours = ramp(diverging ? DIVERGING : SEQUENTIAL);
  const of = (value) =>
    Number.isFinite(value) ? colours[Math.max(0, Math.min(LEVELS - 1, Math.round(((value - low) / (high - low)) * (LEVELS - 1))))] : UNKNOWN;
  return { low, high, colours, of };
}

// ---- The motion as arrays -----------------------------------------------------------------------

const finite = (values) => Float64Array.from(values, (value) => value ?? NaN);
const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

function compile(data) {
  const m = data.motion;
  const frames = m.axis.values.length;
  const scene = {
    title: m.title, axis: m.axis.name, unit: m.axis.unit, lengthUnit: m.length_unit, frames,
    values: finite(m.axis.values), bodies: m.bodies, pointNames: m.point_names,
    strokes: m.strokes, shapes: m.shapes.map(compileShape), bodyShapes: m.body_shapes,
    fixed: m.bodies.map((_, b) => Boolean(m.fixed[b])),
    poses: compilePoses(m.poses, frames, m.bodies.length),
    points: compilePoints(m.points, frames, m.point_names.length),
    spatial: m.point_names.length > 0 && m.points[0][0].length === 3,
    plots: data.plots ?? [],
  };
  scene.oneWay = runsOneWay(scene.values);
  scene.away = scene.values.map((_, f) => apart(scene, f, 0));
  scene.far = scene.away.reduce((most, off) => Math.max(most, off));
  scene.steps = scene.values.map((_, f) => (f ? apart(scene, f, f - 1) : 0));
  scene.timeline = compileTimeline(scene);
  scene.scalars = compileScalars(m);
  scene.heat = scene.scalars.find((s) => s.name === m.heat) ?? null; // what is coloured by, unless another is chosen
  scene.signals = Object.entries(m.signals).map(([name, s]) => ({ name, unit: s.unit, values: finite(s.values) }));
  scene.events = m.events.map((event, i) => ({ ...event, position: eventPosition(scene, m.events, i) }));
  Object.assign(scene, compileMarks(m.marks, frames));
  const grounded = scene.layers.some((layer) => layer.group === "ground");
  scene.resting = m.point_names.map((name, p) => Boolean(name) && !grounded && rests(scene, p));
  Object.assign(scene, compileStrokes(scene));
  scene.cycles = closes(scene);
  return scene;
}

function compileShape(rings) {
  const path = new Path2D();
  let box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const ring of rings) {
    ring.forEach(([x, y], i) => {
      if (i) path.lineTo(x, y); else path.moveTo(x, y);
      box = [Math.min(box[0], x), Math.min(box[1], y), Math.max(box[2], x), Math.max(box[3], y)];
    });
    path.closePath();
  }
  const [x, y] = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
  return { path, rings, x, y, radius: Math.hypot(box[2] - x, box[3] - y) || 0 };
}

// Strokes end to end as runs of points, joined where one ends at a point without a name.
function compileChains(scene) {
  const chains = [];
  scene.strokes.forEach(([a, b], s) => {
    const last = chains[chains.length - 1];
    if (last && last.points[last.points.length - 1] === a && !scene.pointNames[a]) last.points.push(b);
    else chains.push({ points: [a, b], first: s });
  });
  return chains;
}

// Angles are unwound, so that straight interpolation turns the short way.
function compilePoses(rows, frames, bodies) {
  const poses = new Float64Array(frames * bodies * 3);
  if (!bodies) return poses;
  for (let f = 0, i = 0; f < frames; f++) {
    for (let b = 0; b < bodies; b++, i += 3) {
      const [x, y, angle] = rows[f][b];
      const last = f ? poses[i - bodies * 3 + 2] : angle;
      poses[i] = x;
      poses[i + 1] = y;
      poses[i + 2] = angle - 2 * Math.PI * Math.round((angle - last) / (2 * Math.PI));
    }
  }
  return poses;
}

function compilePoints(rows, frames, count) {
  const points = new Float64Array(frames * count * 3);
  if (!count) return points;
  for (let f = 0, i = 0; f < frames; f++) {
    for (let p = 0; p < count; p++, i += 3) {
      const [x, y, z] = rows[f][p];
      points[i] = x ?? NaN;
      points[i + 1] = y ?? NaN;
      points[i + 2] = z ?? 0;
    }
  }
  return points;
}

// A scalar may be known of bodies, of strokes, or of both: one scale serves them.
function compileScalars(m) {
  const names = [...new Set([...Object.keys(m.body_scalars), ...Object.keys(m.stroke_scalars)])];
  return names.map((name) => {
    const [bodies, strokes] = [m.body_scalars, m.stroke_scalars].map((group) => (group[name] ? finite(group[name].flat()) : null));
    return { name, bodies, strokes, scale: colourScale([...(bodies ?? []), ...(strokes ?? [])]) };
  });
}

// Points without a name are no joints: they only bend lines, and strokes that end at one are wires, drawn fine.
// In space a stroke leaves gaps in what it passes, unless it is the edge of a face.
function compileStrokes(scene) {
  const joints = scene.pointNames.map((_, p) => p).filter((p) => scene.pointNames[p]);
  const wires = scene.strokes.map((ends) => ends.some((p) => !scene.pointNames[p]));
  const rods = wires.filter((wire) => !wire).length;
  const busy = scene.strokes.length ? Math.max(rods, 2 * joints.length, 1) : 1;
  const place = (p) => scene.points.subarray(p * 3, p * 3 + 3);
  const key = (point) => Array.from(point, (value) => value.toPrecision(6)).join();
  const edges = new Set(), both = (a, b) => [a, b].sort().join(";");
  const gaps = scene.spatial && scene.strokes.length <= GAPS;
  for (const { style, points } of gaps ? [...scene.lasting, ...scene.byFrame[0]] : []) {
    const corners = style?.solid ? points.map(key) : [];
    corners.forEach((corner, i) => edges.add(both(corner, corners[(i + 1) % corners.length])));
  }
  const passing = scene.strokes.map((ends) => gaps && !edges.has(both(...ends.map((p) => key(place(p))))));
  const lengths = scene.strokes.filter((_, s) => !wires[s]).map(([a, b]) => Math.hypot(...place(a).map((value, k) => place(b)[k] - value))).sort((a, b) => a - b);
  const usualStroke = lengths[lengths.length >> 1] ?? Infinity; // between joints, which are smaller than that
  return { joints, wires, passing, usualStroke, chains: compileChains(scene), strokeWidth: clamp(120 / busy, 0.9, 3.6) };
}

// A layer is what can be shown or hidden as one: a group of marks, or one traced curve.
function compileMarks(marks, frames) {
  const traced = [...new Set(marks.filter((mark) => mark.group === "trace").map((mark) => mark.text))];
  const layers = [], lasting = [], byFrame = Array.from({ length: frames }, () => []);
  let free = 0; // groups without a style take colours in order of appearance
  for (const mark of marks) {
    const style = STYLES[mark.group], name = mark.group === "trace" ? mark.text : "";
    let layer = layers.find((known) => known.group === mark.group && known.name === name);
    if (!layer) {
      const colour = style ? style.colour === "trace" ? traceColour(traced, name) : style.colour : GROUPS[free++ % GROUPS.length];
      const title = style ? name ? `${style.title} of ${name}` : style.title : mark.group || "Marks";
      layer = { group: mark.group, name, style, colour, title, heaviest: 0 };
      layers.push(layer);
    }
    layer.heaviest = Math.max(layer.heaviest, Math.abs(mark.value ?? 0));
    const colour = style?.colour === "trace" ? traceColour(traced, mark.text) : layer.colour;
    (mark.frame === null ? lasting : byFrame[mark.frame] ?? []).push({ ...mark, layer: layers.indexOf(layer), style, colour });
  }
  for (const mark of [lasting, ...byFrame].flat()) {
    const { heaviest } = layers[mark.layer];
    mark.weight = mark.value === null || !heaviest ? 1 : Math.abs(mark.value) / heaviest;
  }
  byFrame.forEach((here, f) => join(here, byFrame[f + 1] ?? []));
  return { layers, traced, lasting, byFrame };
}

// Marks that stand alike in two frames one after the other (as many of one kind, group and text, with as many
// points) are marks that move: each knows where it goes and comes from.
function join(here, there) {
  const sorts = (marks) => {
    const found = new Map();
    for (const mark of marks) {
      const sort = [mark.kind, mark.group, mark.text, mark.points.length].join("\n");
      if (!found.has(sort)) found.set(sort, []);
      found.get(sort).push(mark);
    }
    return found;
  };
  const others = sorts(there);
  for (const [sort, marks] of sorts(here)) {
    const fellows = others.get(sort) ?? [];
    if (fellows.length === marks.length) marks.forEach((mark, i) => { mark.after = fellows[i].points; fellows[i].before = mark.points; });
  }
}

// The marks of every frame and of the nearest one, on their way to the next.
function marksAt(scene, frame) {
  const nearest = Math.round(frame), share = Math.abs(frame - nearest);
  const moved = (mark) => {
    const other = frame > nearest ? mark.after : mark.before;
    if (!share || !other) return mark;
    return { ...mark, points: mark.points.map((point, i) => point.map((value, k) => value + share * (other[i][k] - value))) };
  };
  return [...scene.lasting, ...scene.byFrame[nearest].map(moved)];
}

function traceColour(traced, name) {
  return TRACES[Math.max(traced.indexOf(name), 0) % TRACES.length];
}

// How far everything has moved and turned from one frame to another.
function apart(scene, f, g) {
  const { poses, points } = scene, bodies = scene.bodies.length * 3, joints = scene.pointNames.length * 3;
  let sum = 0;
  for (let i = 0; i < bodies; i++) {
    const off = poses[f * bodies + i] - poses[g * bodies + i];
    sum += (i % 3 < 2 ? off : 2 * Math.sin(off / 2) * scene.shapes[scene.bodyShapes[(i - 2) / 3]].radius) ** 2;
  }
  for (let i = 0; i < joints; i++) sum += (points[f * joints + i] - points[g * joints + i]) ** 2;
  return Math.sqrt(sum);
}

// Whether the end joins the start: then the motion plays round and round without a rest.
function closes({ frames, away, far, steps }) {
  const gap = away[frames - 1], usual = steps.slice(1).sort()[(frames - 1) >> 1];
  return frames > 3 && far > 1.3 * gap && gap <= 2 * Math.max(usual, steps[1], steps[frames - 1]);
}

// The frame to open with, as in the figures: the last; of what comes round the first, or without curves the farthest.
function opening({ cycles, frames, away, far, traced }) {
  if (!cycles) return frames - 1;
  return traced.length ? 0 : away.findIndex((off) => off >= (1 - STILL) * far);
}

function runsOneWay(values) {
  const last = values.length - 1;
  const steps = Array.from({ length: Math.max(last, 0) }, (_, i) => values[i + 1] - values[i]);
  return last > 0 && values[last] !== values[0] && (steps.every((s) => s >= 0) || steps.every((s) => s <= 0));
}

// Where each frame lies on the scrub bar: in proportion to the axis when it runs one way, frame by frame when it
// turns back. What moves while the axis stands still, as a snap does, takes a frame's share a frame.
function compileTimeline({ values, frames, oneWay, far, steps }) {
  const travel = values[frames - 1] - values[0], line = new Float64Array(frames);
  let jumps = 0;
  for (let f = 1; f < frames; f++) {
    if (!oneWay || (values[f] === values[f - 1] && steps[f] > STILL * far)) jumps++;
    line[f] = (oneWay ? (values[f] - values[0]) / travel : 0) + jumps / (frames - 1);
  }
  return line.map((place) => place / (line[frames - 1] || 1));
}

// Several events at one value share out what moves there.
function eventPosition(scene, events, i) {
  const { values, timeline } = scene, { at } = events[i];
  let first = 0;
  values.forEach((value, f) => { if (Math.abs(value - at) < Math.abs(values[first] - at)) first = f; });
  if (!scene.oneWay) return timeline[first];
  if (values[first] !== at) return valueAt(timeline, frameOn(values, at));
  const last = values.lastIndexOf(at), fellows = events.filter((event) => event.at === at);
  return timeline[first] + (fellows.indexOf(events[i]) / (fellows.length - 1 || 1)) * (timeline[last] - timeline[first]);
}

function rests(scene, p) {
  const count = scene.pointNames.length;
  for (let f = 1; f < scene.frames; f++) {
    for (let k = 0; k < 3; k++) {
      const [a, b] = [scene.points[p * 3 + k], scene.points[(f * count + p) * 3 + k]];
      if (Math.abs(a - b) > 1e-7 * (Math.abs(a) + Math.abs(b))) return false;
    }
  }
  return scene.frames > 1;
}

// The frame at a value of what runs one way: the last that has it.
function frameOn(line, value) {
  let low = 0, high = line.length - 1;
  const falls = line[high] < line[0];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (falls ? line[middle] >= value : line[middle] <= value) low = middle; else high = middle;
  }
  const span = line[high] - line[low];
  return span ? low + clamp((value - line[low]) / span, 0, 1) : high;
}

const frameAt = (scene, position) => frameOn(scene.timeline, position);
const valueAt = (values, frame) => blend(values, 1, frame, [0])[0];

// A row of an (F, n) array between frames.
function blend(values, n, frame, out) {
  const low = Math.floor(frame), share = frame - low;
  const a = low * n, b = Math.min(low + 1, values.length / n - 1) * n;
  for (let i = 0; i < n; i++) out[i] = share ? values[a + i] + share * (values[b + i] - values[a + i]) : values[a + i];
  return out;
}

// ---- Camera -------------------------------------------------------------------------------------

// The page's axes u (right) and v (up) in the world; the plane is seen from above, space from a corner.
// w points from the page to the eye.
function basis(camera) {
  if (!camera.spatial) return { u: [1, 0, 0], v: [0, 1, 0], w: [0, 0, 1] };
  const [c, s] = [Math.cos(camera.turn), Math.sin(camera.turn)];
  const [ct, st] = [Math.cos(camera.tilt), Math.sin(camera.tilt)];
  return { u: [c, -s, 0], v: [s * st, c * st, ct], w: [-s * ct, -c * ct, st] };
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

// Where the world's origin lies on the page: the camera looks at a point of the world, about which it turns.
function origin(camera, { u, v }) {
  const { scale: k, at } = camera;
  return [camera.width / 2 - (dot(u, at) + camera.x) * k, camera.height / 2 + (dot(v, at) + camera.y) * k];
}

function projector(camera) {
  const axes = basis(camera), { u, v } = axes, k = camera.scale, [x, y] = origin(camera, axes);
  return (px, py, pz = 0) => [x + (u[0] * px + u[1] * py + u[2] * pz) * k, y - (v[0] * px + v[1] * py + v[2] * pz) * k];
}

// A body's outline to the screen, as the six numbers of setTransform.
function bodyMatrix(camera, axes, x, y, angle) {
  const { u, v } = axes, k = camera.scale, [left, top] = origin(camera, axes);
  const c = Math.cos(angle), s = Math.sin(angle);
  return [
    (u[0] * c + u[1] * s) * k, -(v[0] * c + v[1] * s) * k,
    (u[1] * c - u[0] * s) * k, -(v[1] * c - v[0] * s) * k,
    left + (u[0] * x + u[1] * y) * k,
    top - (v[0] * x + v[1] * y) * k,
  ];
}

// Calls `take` with every place of the motion; many frames are sampled.
function everywhere(scene, take) {
  const bodies = scene.bodies.length, samples = Math.min(scene.frames, 60);
  for (let sample = 0; sample < samples; sample++) {
    const f = samples > 1 ? Math.round((sample * (scene.frames - 1)) / (samples - 1)) : 0;
    for (let b = 0, i = f * bodies * 3; b < bodies; b++, i += 3) {
      const [x, y, angle] = [scene.poses[i], scene.poses[i + 1], scene.poses[i + 2]];
      const c = Math.cos(angle), s = Math.sin(angle);
      for (const ring of scene.shapes[scene.bodyShapes[b]].rings)
        for (const [px, py] of ring) take(x + c * px - s * py, y + s * px + c * py, 0);
    }
    for (let p = 0, i = f * scene.pointNames.length * 3; p < scene.pointNames.length; p++, i += 3)
      take(scene.points[i], scene.points[i + 1], scene.points[i + 2]);
  }
  for (const mark of [scene.lasting, ...scene.byFrame].flat()) for (const [x, y, z] of mark.points) take(x, y, z ?? 0);
}

// The middle of the motion, which the camera turns about; the plane does not turn.
function middleOf(scene) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  if (scene.spatial) everywhere(scene, (...place) => place.forEach((value, k) => {
    if (value < low[k]) low[k] = value;
    if (value > high[k]) high[k] = value;
  }));
  return low.map((value, k) => (value <= high[k] ? (value + high[k]) / 2 : 0));
}

// The rectangle of the page that all frames need, as the camera is turned.
function extent(scene, camera) {
  const { u, v } = basis(camera), box = [Infinity, Infinity, -Infinity, -Infinity];
  everywhere(scene, (x, y, z) => {
    const away = [x - camera.at[0], y - camera.at[1], z - camera.at[2]], a = dot(u, away), b = dot(v, away);
    if (a < box[0]) box[0] = a;
    if (b < box[1]) box[1] = b;
    if (a > box[2]) box[2] = a;
    if (b > box[3]) box[3] = b;
  });
  return box[0] <= box[2] ? box : [0, 0, 1, 1];
}

function zoomAbout(camera, sx, sy, factor) {
  const scale = clamp(camera.scale * factor, camera.fitScale * 0.2, camera.fitScale * 4000);
  const shift = 1 / camera.scale - 1 / scale;
  camera.x += (sx - camera.width / 2) * shift;
  camera.y -= (sy - camera.height / 2) * shift;
  camera.scale = scale;
  camera.fitted = false;
}

// ---- Painting -----------------------------------------------------------------------------------

// Everything at a frame. Returns what `pick` needs: each body's matrix, and the points on the screen.
function paint(ctx, scene, view, frame, ratio, colours) {
  const { camera } = view;
  const axes = basis(camera);
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, camera.width, camera.height);
  ctx.lineJoin = "round";
  ctx.lineCap = "round";
  const project = projector(camera);
  const marks = marksAt(scene, frame).filter((mark) => view.layers[mark.layer]);
  const standing = (mark) => scene.spatial && mark.style?.solid;
  const styled = marks.filter((mark) => mark.style && !standing(mark)).sort((a, b) => a.style.order - b.style.order);
  const plain = marks.filter((mark) => !mark.style);
  if (view.trails) paintTrails(ctx, scene, project, colours);
  for (const mark of plain) if (mark.kind === "polygon") paintPolygon(ctx, mark, project);
  for (const mark of styled) if (mark.style.order < 2) paintStyled(ctx, mark, project, colours);
  const { matrices, heat } = paintBodies(ctx, scene, view, frame, ratio, axes, colours);
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  if (view.before) paintBefore(ctx, scene, view, ratio, axes, colours);
  for (const mark of styled) if (mark.style.order > 2) paintStyled(ctx, mark, project, colours);
  const row = blend(scene.points, scene.pointNames.length * 3, frame, view.pointRow);
  const points = scene.pointNames.map((_, p) => project(row[p * 3], row[p * 3 + 1], row[p * 3 + 2]));
  const tension = view.scalar?.strokes ? blend(view.scalar.strokes, scene.strokes.length, frame, view.strokeHeat) : null;
  if (scene.spatial) paintSpace(ctx, scene, view, row, points, marks.filter(standing), tension, axes, project, colours);
  else paintStrokes(ctx, scene, view, points, tension, colours);
  for (const mark of plain) paintMark(ctx, mark, project);
  const taken = [[0, camera.height - 32, camera.width / 4 + 60, camera.height]]; // by the scale, then by texts
  for (const mark of marks) if (mark.text && mark.style?.colour !== "trace") paintLabel(ctx, mark, project, colours, taken);
  if (view.names) paintNames(ctx, scene, view, matrices, points, colours, taken);
  paintScale(ctx, scene, camera, axes, colours);
  return { matrices, heat, points, marks, project };
}

function paintBodies(ctx, scene, view, frame, ratio, axes, colours) {
  const { camera, scalar } = view, count = scene.bodies.length;
  const poses = blend(scene.poses, count * 3, frame, view.poseRow);
  const heat = scalar?.bodies ? blend(scalar.bodies, count, frame, view.bodyHeat) : null;
  const matrices = new Array(count).fill(null);
  for (let b = 0; b < count; b++) {
    const shape = scene.shapes[scene.bodyShapes[b]];
    const t = bodyMatrix(camera, axes, poses[b * 3], poses[b * 3 + 1], poses[b * 3 + 2]);
    const reach = shape.radius * camera.scale;
    const x = t[0] * shape.x + t[2] * shape.y + t[4], y = t[1] * shape.x + t[3] * shape.y + t[5];
    if (!(x > -reach && y > -reach && x < camera.width + reach && y < camera.height + reach)) continue;
    matrices[b] = t;
    const fixed = scene.fixed[b];
    ctx.fillStyle = heat ? scalar.scale.of(heat[b]) : fixed ? colours.fixed : colours.body;
    ctx.setTransform(ratio * t[0], ratio * t[1], ratio * t[2], ratio * t[3], ratio * t[4], ratio * t[5]);
    ctx.fill(shape.path, "evenodd");
    if (reach < (view.hasty ? 12 : 2.5) && b !== view.hovered) continue; // an edge would hide a body this small
    ctx.strokeStyle = b === view.hovered ? colours.hover : fixed ? colours["fixed-edge"] : colours["body-edge"];
    ctx.lineWidth = (b === view.hovered ? 2.2 : clamp(reach * 0.03, 0.35, 1.1)) / camera.scale;
    ctx.stroke(shape.path);
  }
  return { matrices, heat };
}

// Red outlines rest while the motion plays: they are drawn again only when the camera has moved.
function paintBefore(ctx, scene, view, ratio, axes, colours) {
  const { camera } = view, layer = view.beforeLayer;
  const key = [camera.x, camera.y, camera.scale, camera.turn, camera.tilt, ctx.canvas.width, ctx.canvas.height, colours.before].join();
  if (layer.key !== key) {
    layer.key = key;
    layer.canvas.width = ctx.canvas.width;
    layer.canvas.height = ctx.canvas.height;
    const pen = layer.canvas.getContext("2d");
    pen.strokeStyle = colours.before;
    pen.lineJoin = "round";
    for (let b = 0; b < scene.bodies.length; b++) {
      if (scene.fixed[b]) continue;
      const shape = scene.shapes[scene.bodyShapes[b]];
      const t = bodyMatrix(camera, axes, scene.poses[b * 3], scene.poses[b * 3 + 1], scene.poses[b * 3 + 2]);
      const reach = shape.radius * camera.scale;
      const x = t[0] * shape.x + t[2] * shape.y + t[4], y = t[1] * shape.x + t[3] * shape.y + t[5];
      if (!(x > -reach && y > -reach && x < camera.width + reach && y < camera.height + reach)) continue;
      pen.setTransform(ratio * t[0], ratio * t[1], ratio * t[2], ratio * t[3], ratio * t[4], ratio * t[5]);
      pen.lineWidth = clamp(reach * 0.03, 0.3, 1.2) / camera.scale;
      pen.stroke(shape.path);
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.lineWidth = 1;
    const project = projector(camera);
    pen.beginPath();
    for (const ends of scene.strokes) {
      const [a, b] = ends.map((p) => project(...scene.points.subarray(p * 3, p * 3 + 3)));
      pen.moveTo(...a);
      pen.lineTo(...b);
    }
    for (const mark of scene.spatial ? scene.byFrame[0] : []) {
      if (mark.style?.solid) mark.points.forEach((point, i) => pen[i ? "lineTo" : "moveTo"](...project(...point)));
    }
    pen.stroke();
  }
  ctx.save();
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.globalAlpha = scene.spatial ? 0.55 : 1; // in space they stand behind what is there now
  ctx.drawImage(layer.canvas, 0, 0);
  ctx.restore();
}

function widthOf(scene, s) {
  return scene.wires[s] ? 0.4 * scene.strokeWidth + 0.25 : scene.strokeWidth;
}

function paintStrokes(ctx, scene, view, points, tension, colours) {
  const runs = tension ? scene.strokes.map((ends, s) => ({ points: ends, first: s })) : scene.chains;
  for (const run of runs) {
    ctx.beginPath();
    ctx.lineWidth = widthOf(scene, run.first);
    ctx.strokeStyle = tension ? view.scalar.scale.of(tension[run.first]) : colours.stroke;
    for (const p of run.points) ctx.lineTo(...points[p]);
    ctx.stroke();
  }
  for (const p of scene.joints) paintJoint(ctx, scene, view, p, points[p], colours.stroke, colours);
}

function paintJoint(ctx, scene, view, p, [x, y], rim, colours) {
  const r = Math.min(1.3 + scene.strokeWidth * 0.9, 0.16 * scene.usualStroke * view.camera.scale);
  ctx.beginPath();
  if (scene.resting[p]) ctx.rect(x - r, y - r, 2 * r, 2 * r); else ctx.arc(x, y, r, 0, 2 * Math.PI);
  ctx.fillStyle = view.traced[p] || (scene.resting[p] ? colours.stroke : colours.joint);
  ctx.fill();
  ctx.strokeStyle = rim;
  ctx.lineWidth = Math.max(1, scene.strokeWidth * 0.45);
  ctx.stroke();
}

// What stands in space, from the back to the front: faces and barrels, strokes, joints. What is farther away is
// paler, unless colours are figures; height says nothing of distance.
function paintSpace(ctx, scene, view, row, points, solid, tension, { w }, project, colours) {
  const items = [], scale = scene.strokeWidth / 3.6;
  const place = (p) => row.subarray(p * 3, p * 3 + 3);
  const add = ([x, y, z], ahead, draw) => items.push({ near: w[0] * x + w[1] * y + w[2] * z + ahead, level: w[0] * x + w[1] * y, draw });
  for (const mark of solid) {
    const middle = [0, 1, 2].map((k) => mark.points.reduce((sum, point) => sum + point[k], 0) / mark.points.length);
    add(middle, 0, (pale) => paintSolid(ctx, mark, project, pale(colours[mark.colour] ?? mark.colour), scale));
  }
  // Wires that are straight on the page are one stroke: the seams of many would be seen.
  const strokes = tension ? scene.strokes.map((ends, s) => [...ends, s]) : scene.chains.flatMap((chain) => straightened(chain, points));
  strokes.forEach(([a, b, s]) => {
    const [p, q] = [place(a), place(b)];
    add([0, 1, 2].map((k) => (p[k] + q[k]) / 2), 0, (pale) => {
      const colour = tension ? view.scalar.scale.of(tension[s]) : pale(colours.stroke);
      paintPassing(ctx, points[a], points[b], widthOf(scene, s), colour, scene.passing[s] && colours.page, 1 + 1.4 * scale);
    });
  });
  for (const p of scene.joints)
    add(place(p), 4 / view.camera.scale, (pale) => paintJoint(ctx, scene, view, p, points[p], pale(colours.stroke), colours));
  const back = items.reduce((low, { level }) => Math.min(low, level), Infinity), front = items.reduce((high, { level }) => Math.max(high, level), -Infinity);
  items.sort((a, b) => a.near - b.near);
  for (const { level, draw } of items) {
    const fog = tension ? 0 : (FOG * (front - level)) / (front - back || 1);
    draw((colour) => mixed(colour, colours.page, fog));
  }
}

function straightened({ points: run, first }, points) {
  const [x0, y0] = points[run[0]], [x1, y1] = points[run[run.length - 1]], length = Math.hypot(x1 - x0, y1 - y0);
  if (run.length > 2 && run.every((p) => Math.abs((x1 - x0) * (points[p][1] - y0) - (y1 - y0) * (points[p][0] - x0)) <= 0.3 * length)) return [[run[0], run[run.length - 1], first]];
  return run.slice(1).map((p, i) => [run[i], p, first + i]);
}

function paintSolid(ctx, mark, project, colour, scale) {
  ctx.beginPath();
  for (const point of mark.points) ctx.lineTo(...project(...point));
  if (mark.kind === "polygon") {
    ctx.closePath();
    ctx.fillStyle = colour;
    ctx.globalAlpha = mark.style.fill;
    ctx.fill();
    ctx.globalAlpha = 1;
  }
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.35 * scale * mark.style.width;
  ctx.stroke();
}

// A stroke, over a gap in what it passes.
function paintPassing(ctx, [ax, ay], [bx, by], width, colour, page, gap) {
  const [dx, dy] = [bx - ax, by - ay], back = (3 * width + 4) / (Math.hypot(dx, dy) || 1);
  if (page && back < 0.5) {
    ctx.beginPath();
    ctx.moveTo(ax + back * dx, ay + back * dy);
    ctx.lineTo(bx - back * dx, by - back * dy);
    ctx.strokeStyle = page;
    ctx.lineWidth = width + gap;
    ctx.stroke();
  }
  ctx.beginPath();
  ctx.moveTo(ax, ay);
  ctx.lineTo(bx, by);
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.stroke();
}

// "#rrggbb" with a share of another, in sixteen steps.
const mixes = new Map();
function mixed(colour, other, share) {
  const step = Math.round(16 * share), key = `${colour}${other}${step}`;
  if (!step) return colour;
  if (!mixes.has(key)) {
    const part = (hex, i) => parseInt(hex.slice(i, i + 2), 16);
    mixes.set(key, `rgb(${[1, 3, 5].map((i) => Math.round(part(colour, i) + (step / 16) * (part(other, i) - part(colour, i)))).join(",")})`);
  }
  return mixes.get(key);
}

function paintTrails(ctx, scene, project, colours) {
  const count = scene.pointNames.length;
  ctx.strokeStyle = colours.trail;
  ctx.lineWidth = 1.2;
  ctx.beginPath();
  for (let p = 0; p < count; p++) {
    if (scene.resting[p] || !scene.pointNames[p]) continue;
    for (let f = 0; f < scene.frames; f++) {
      const i = (f * count + p) * 3;
      const at = project(scene.points[i], scene.points[i + 1], scene.points[i + 2]);
      if (f) ctx.lineTo(...at); else ctx.moveTo(...at);
    }
  }
  ctx.stroke();
}

function tracePolygon(ctx, mark, project) {
  ctx.beginPath();
  for (const point of mark.points) ctx.lineTo(...project(...point));
  ctx.closePath();
}

function paintPolygon(ctx, mark, project) {
  tracePolygon(ctx, mark, project);
  ctx.globalAlpha = 0.2 * (0.4 + 0.6 * mark.weight);
  ctx.fillStyle = mark.colour;
  ctx.fill();
  ctx.globalAlpha = 0.5 + 0.5 * mark.weight;
  ctx.strokeStyle = mark.colour;
  ctx.lineWidth = 1;
  ctx.stroke();
  ctx.globalAlpha = 1;
}

// A mark of a well-known group: widths and dashes are those of the figures, a third wider for the screen.
function paintStyled(ctx, mark, project, colours) {
  const { style } = mark, colour = colours[mark.colour] ?? mark.colour, width = 1.35 * style.width;
  if (mark.kind === "label") return;
  ctx.beginPath();
  for (const point of mark.points) ctx.lineTo(...project(...point));
  if (mark.kind === "polygon") {
    ctx.closePath();
    ctx.fillStyle = colour;
    ctx.globalAlpha = style.fill;
    ctx.fill();
    ctx.globalAlpha = 1;
  }
  if (!width) return;
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.setLineDash(style.dash.map((length) => length * width));
  ctx.stroke();
  ctx.setLineDash([]);
}

function paintMark(ctx, mark, project) {
  const line = mark.points.map((point) => project(...point));
  ctx.globalAlpha = 0.35 + 0.65 * mark.weight;
  ctx.strokeStyle = ctx.fillStyle = mark.colour;
  if (mark.kind === "segment" || mark.kind === "curve") {
    ctx.lineWidth = 0.8 + 2.6 * mark.weight;
    ctx.beginPath();
    for (const at of line) ctx.lineTo(...at);
    ctx.stroke();
  } else if (mark.kind === "arrow" && line.length > 1) paintArrow(ctx, line[0], line[line.length - 1], 1 + 2.6 * mark.weight);
  ctx.globalAlpha = 1;
}

function paintLabel(ctx, mark, project, colours, taken) {
  const line = mark.points.map((point) => project(...point));
  const end = line[line.length - 1];
  if (mark.kind === "polygon") {
    const xs = line.map((p) => p[0]), top = Math.min(...line.map((p) => p[1]));
    placeText(ctx, mark.text, (Math.min(...xs) + Math.max(...xs)) / 2, top + 11, "center", colours, taken);
  } else if (mark.kind === "label") placeText(ctx, mark.text, ...end, "center", colours, taken);
  else placeText(ctx, mark.text, end[0] + 5, end[1] - 7, "left", colours, taken);
}

function paintArrow(ctx, [x0, y0], [x1, y1], width) {
  const length = Math.hypot(x1 - x0, y1 - y0);
  if (!(length > 0.5)) return;
  const head = Math.min(4 * width + 3, length), half = (width * head) / (4 * width + 3) / 2, wing = head * 0.42;
  const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
  const at = (along, across) => [x0 + ux * along - uy * across, y0 + uy * along + ux * across];
  const neck = length - head;
  ctx.beginPath();
  for (const [s, w] of [[0, half], [neck, half], [neck, wing], [length, 0], [neck, -wing], [neck, -half], [0, -half]]) ctx.lineTo(...at(s, w));
  ctx.closePath();
  ctx.fill();
}

// Text where none is yet: as asked, or a line higher or lower; where there is no room, none.
function placeText(ctx, text, x, y, align, colours, taken, shifts = [0, -15, 15]) {
  ctx.font = FONT;
  const width = ctx.measureText(text).width, left = x - width * { left: 0, center: 0.5, right: 1 }[align];
  for (const shift of shifts) {
    const box = [left, y + shift - 7, left + width, y + shift + 7];
    if (taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) continue;
    taken.push(box);
    paintText(ctx, text, x, y + shift, align, colours);
    return;
  }
}

function paintText(ctx, text, x, y, align, colours) {
  ctx.font = FONT;
  ctx.textAlign = align;
  ctx.textBaseline = "middle";
  ctx.lineWidth = 3;
  ctx.strokeStyle = colours.page;
  ctx.globalAlpha = 0.75;
  ctx.strokeText(text, x, y);
  ctx.globalAlpha = 1;
  ctx.fillStyle = colours.ink;
  ctx.fillText(text, x, y);
}

// Where points have names, bodies keep theirs to themselves.
function paintNames(ctx, scene, view, matrices, points, colours, taken) {
  const shapes = matrices.map((_, b) => scene.shapes[scene.bodyShapes[b]]);
  const largest = scene.joints.length ? [] : [...matrices.keys()].sort((a, b) => shapes[b].radius - shapes[a].radius);
  for (const b of largest) {
    const t = matrices[b], shape = shapes[b];
    if (!t || shape.radius * Math.hypot(t[0], t[1]) < 11) continue; // no room to read it
    placeText(ctx, scene.bodies[b], t[0] * shape.x + t[2] * shape.y + t[4], t[1] * shape.x + t[3] * shape.y + t[5], "center", colours, taken, [0]);
  }
  // Sides are chosen once, so that names do not jump about while things move.
  view.sides ??= freeSides(ctx, scene, matrices, points);
  points.forEach(([x, y], p) => {
    if (!scene.pointNames[p]) return;
    const [across, down] = view.sides[p];
    placeText(ctx, scene.pointNames[p], x + 12 * across, y + 13 * down, ["right", "center", "left"][across + 1], colours, taken, [0, 6 * down, 14 * down]);
  });
}

// Beside each point, where the fewest names, points and bodies are.
function freeSides(ctx, scene, matrices, points) {
  const sides = [[1, -1], [-1, -1], [1, 1], [-1, 1], [0, -1], [1, 0], [-1, 0], [0, 1]], taken = [];
  ctx.save();
  ctx.font = FONT;
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  const chosen = points.map(([x, y], p) => {
    if (!scene.pointNames[p]) return sides[0];
    const width = ctx.measureText(scene.pointNames[p]).width;
    const boxes = sides.map(([across, down]) => [x + 12 * across + (width * (across - 1)) / 2, y + 13 * down - 7, width, 14]);
    const costs = boxes.map(([left, top], k) => {
      const names = taken.filter(([l, t, w]) => left < l + w && l < left + width && Math.abs(top - t) < 14).length;
      const near = scene.joints.filter((q) => q !== p && points[q][0] > left - 4 && points[q][0] < left + width + 4 && points[q][1] > top - 4 && points[q][1] < top + 18).length;
      const covered = [0.1, 0.5, 0.9].reduce((sum, share) => sum + matrices.filter((t, b) =>
        t && inside(ctx, scene.shapes[scene.bodyShapes[b]], t, left + share * width, top + 7)).length, 0);
      return 4 * names + 2 * near + covered + 0.05 * k;
    });
    const best = costs.indexOf(Math.min(...costs));
    taken.push(boxes[best]);
    return sides[best];
  });
  ctx.restore();
  return chosen;
}

// Whether a place on the screen lies on a body that has this matrix.
function inside(ctx, shape, t, sx, sy) {
  const det = t[0] * t[3] - t[1] * t[2], [dx, dy] = [sx - t[4], sy - t[5]];
  const x = (t[3] * dx - t[2] * dy) / det, y = (t[0] * dy - t[1] * dx) / det;
  return Math.hypot(x - shape.x, y - shape.y) <= shape.radius && ctx.isPointInPath(shape.path, x, y, "evenodd");
}

// A bar of a round length; in space, where lengths are foreshortened, the three directions.
function paintScale(ctx, scene, camera, axes, colours) {
  ctx.strokeStyle = ctx.fillStyle = colours.faint;
  ctx.lineWidth = 1.2;
  ctx.textBaseline = "middle";
  ctx.font = FONT;
  const y = camera.height - 18;
  ctx.beginPath();
  if (scene.spatial) {
    ctx.textAlign = "center";
    ["x", "y", "z"].forEach((name, i) => {
      ctx.moveTo(42, y - 20);
      ctx.lineTo(42 + 24 * axes.u[i], y - 20 - 24 * axes.v[i]);
      ctx.fillText(name, 42 + 33 * axes.u[i], y - 20 - 33 * axes.v[i]);
    });
  } else {
    const most = Math.min(160, camera.width / 4) / camera.scale;
    const power = 10 ** Math.floor(Math.log10(most));
    const length = [5, 2, 1].find((n) => n * power <= most) * power;
    const right = 16 + length * camera.scale;
    ctx.moveTo(16, y - 4); ctx.lineTo(16, y + 4); ctx.moveTo(16, y); ctx.lineTo(right, y);
    ctx.moveTo(right, y - 4); ctx.lineTo(right, y + 4);
    ctx.textAlign = "left";
    ctx.fillText(`${number(length)} ${scene.lengthUnit}`.trim(), right + 8, y);
  }
  ctx.stroke();
}

// ---- What is under the cursor -------------------------------------------------------------------

function pick(ctx, scene, drawn, sx, sy, view) {
  const near = drawn.points.findIndex(([x, y], p) => scene.pointNames[p] && Math.hypot(x - sx, y - sy) < 9);
  if (near >= 0) return { text: scene.pointNames[near], body: -1 };
  const mark = drawn.marks.find((candidate) => candidate.kind !== "polygon" && nearMark(candidate, drawn.project, sx, sy));
  if (mark) return { text: describeMark(scene, mark), body: -1 };
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  for (let b = drawn.matrices.length - 1; b >= 0; b--) {
    const t = drawn.matrices[b];
    if (t && inside(ctx, scene.shapes[scene.bodyShapes[b]], t, sx, sy)) {
      const value = drawn.heat ? `, ${view.scalar.name} ${number(drawn.heat[b])}` : "";
      return { text: scene.bodies[b] + (scene.fixed[b] ? " (fixed)" : "") + value, body: b };
    }
  }
  const area = drawn.marks.find((candidate) => {
    if (candidate.kind !== "polygon") return false;
    tracePolygon(ctx, candidate, drawn.project);
    return ctx.isPointInPath(sx, sy);
  });
  return area ? { text: describeMark(scene, area), body: -1 } : { text: "", body: -1 };
}

function nearMark(mark, project, sx, sy) {
  const line = mark.points.map((point) => project(...point));
  return line.some(([bx, by], i) => {
    if (!i) return false;
    const [ax, ay] = line[i - 1], length = (bx - ax) ** 2 + (by - ay) ** 2 || 1;
    const s = clamp(((sx - ax) * (bx - ax) + (sy - ay) * (by - ay)) / length, 0, 1);
    return Math.hypot(ax + s * (bx - ax) - sx, ay + s * (by - ay) - sy) < 5;
  });
}

function describeMark(scene, mark) {
  const value = mark.value === null ? "" : number(mark.value);
  if (mark.group === "trace") return scene.layers[mark.layer].title;
  return [mark.style?.title || mark.group, mark.text, value].filter(Boolean).join(" · ");
}

// ---- Charts -------------------------------------------------------------------------------------

// Draws a plot (Plot.to_dict()) and returns where its x axis lies, for a cursor to follow.
// Draws on { ctx, width, height }; returns where the axes are, and where values lie on them.
function drawChart({ ctx, width, height }, plot, colours, small) {
  const areas = plot.series.some((s) => s.style === "area"); // they fill the chart to its rim
  const x = scaleOf(plot.x_scale, plot.series.flatMap((s) => s.x), small || areas ? 0 : plot.ticks.length ? 0.5 : 0.02, plot.ticks.length);
  const bars = plot.series.filter((s) => s.style === "bars");
  const ys = plot.series.flatMap((s) => [...s.y, ...(s.low ?? []), ...(s.high ?? []), ...(s.style === "band" && !s.low ? [0] : [])]);
  const y = scaleOf(plot.y_scale, bars.length ? [...ys, 0] : ys, areas ? 0 : 0.06);
  ctx.font = `${small ? 10 : 11}px system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', sans-serif`;
  const yTicks = y.ticks(small ? 4 : 6);
  const left = Math.ceil(Math.max(22, ...yTicks.map((t) => ctx.measureText(number(t)).width))) + (small ? 8 : 26);
  const box = { left, right: width - 8, top: 6, bottom: height - (small ? 17 : 34) };
  const px = (value) => box.left + x.of(value) * (box.right - box.left);
  const py = (value) => box.bottom - y.of(value) * (box.bottom - box.top);
  drawAxes(ctx, plot, box, x, yTicks, px, py, colours, small);
  ctx.save();
  ctx.beginPath();
  ctx.rect(box.left - 4, 0, box.right - box.left + 8, box.bottom + 4);
  ctx.clip();
  for (const [series, look] of looks(plot).sort(([, a], [, b]) => a.order - b.order)) drawSeries(ctx, series, look, px, py, bars, colours, plot.y_scale);
  ctx.restore();
  return { ...box, px, py };
}

// Each series with what it looks like; a colour is one of the style sheet's where it has a name.
function looks(plot) {
  let tone = 0;
  return plot.series.map((series, i) => {
    const base = { colour: series.colour ?? SERIES[i % SERIES.length], alpha: 1, dash: [], order: 3 };
    return [series, series.style === "area" ? { ...base, colour: "faint", alpha: AREAS[tone++ % AREAS.length], order: 0 } : { ...base, ...LINES[series.style] }];
  });
}

function drawAxes(ctx, plot, box, x, yTicks, px, py, colours, small) {
  ctx.lineWidth = 1;
  ctx.strokeStyle = colours.rule;
  ctx.fillStyle = colours.faint;
  ctx.textBaseline = "middle";
  ctx.textAlign = "right";
  ctx.beginPath();
  for (const tick of yTicks) {
    const at = Math.round(py(tick)) + 0.5;
    ctx.moveTo(box.left, at);
    ctx.lineTo(box.right, at);
    ctx.fillText(number(tick), box.left - 6, at);
  }
  ctx.stroke();
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  const every = Math.ceil(plot.ticks.length / Math.max(1, (box.right - box.left) / 64));
  const named = plot.ticks.map((name, i) => [i, name]).filter(([i]) => i % every === 0);
  const ticks = plot.ticks.length ? named : x.ticks(small ? 5 : 7).map((value) => [value, number(value)]);
  for (const [value, name] of ticks) {
    const half = ctx.measureText(name).width / 2;
    ctx.fillText(name, Math.min(px(value), box.right + 6 - half), box.bottom + 4);
  }
  if (small) return;
  ctx.fillStyle = colours.ink;
  ctx.fillText(plot.x_label, (box.left + box.right) / 2, box.bottom + 19);
  ctx.save();
  ctx.translate(4, (box.top + box.bottom) / 2);
  ctx.rotate(-Math.PI / 2);
  ctx.fillText(plot.y_label, 0, 0);
  ctx.restore();
}

function drawSeries(ctx, series, look, px, py, bars, colours, yScale) {
  const at = series.x.map((value, i) => [px(value), py(series.y[i])]), colour = colours[look.colour] ?? look.colour;
  const base = yScale === "log" ? 1e-300 : 0;
  ctx.strokeStyle = ctx.fillStyle = colour;
  ctx.lineJoin = "round";
  if (series.style === "bars") {
    const thick = (0.72 * (px(1) - px(0))) / bars.length, shift = (bars.indexOf(series) - bars.length / 2) * thick;
    at.forEach(([x, y]) => ctx.fillRect(x + shift, Math.min(y, py(base)), thick * 0.92, Math.abs(py(base) - y)));
    drawRanges(ctx, series, at.map(([x]) => x + shift + thick * 0.46), py, colours.ink);
  } else if (series.style === "points") {
    ctx.globalAlpha = 0.75;
    for (const [x, y] of at) { ctx.beginPath(); ctx.arc(x, y, at.length > 400 ? 1.4 : 2.6, 0, 7); ctx.fill(); }
    ctx.globalAlpha = 1;
  } else if (series.style === "band") {
    ctx.globalAlpha = 0.2;
    for (const run of runs(at.map((point, i) => [...point, py(series.low ? series.low[i] : base)]))) {
      ctx.beginPath();
      for (const [x, y] of run) ctx.lineTo(x, y);
      for (const [x, , low] of run.reverse()) ctx.lineTo(x, low);
      ctx.fill();
    }
    ctx.globalAlpha = 1;
  } else {
    Object.assign(ctx, { lineWidth: look.width, globalAlpha: look.alpha });
    ctx.setLineDash(look.dash);
    ctx.beginPath();
    for (const run of runs(at)) run.forEach(([x, y], i) => (i ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
    if (series.style === "area") ctx.fill(); else ctx.stroke();
    ctx.setLineDash([]);
    ctx.globalAlpha = 1;
  }
  if (series.style === "line" || series.style === "points") drawRanges(ctx, series, at.map(([x]) => x), py, colour);
}

// Points one after another without a gap: the pen is lifted over what is not a number.
function runs(points) {
  const found = [[]];
  for (const point of points) if (point.every(Number.isFinite)) found[found.length - 1].push(point); else found.push([]);
  return found;
}

function drawRanges(ctx, series, xs, py, colour) {
  if (!series.low && !series.high) return;
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1;
  ctx.beginPath();
  xs.forEach((x, i) => {
    ctx.moveTo(x, py(series.low?.[i] ?? series.y[i]));
    ctx.lineTo(x, py(series.high?.[i] ?? series.y[i]));
  });
  ctx.stroke();
}

// From numbers to 0…1, with round ticks.
function scaleOf(kind, given, air, named = 0) {
  const log = kind === "log";
  const values = given.filter((v) => v !== null && Number.isFinite(v) && (!log || v > 0)).map(log ? Math.log10 : Number);
  let low = values.reduce((a, b) => Math.min(a, b), Infinity), high = values.reduce((a, b) => Math.max(a, b), -Infinity);
  if (named) [low, high] = [0, named - 1];
  if (low > high) [low, high] = [0, 1];
  if (low === high && !named) [low, high] = [low - (Math.abs(low) * 0.1 || 1), high + (Math.abs(high) * 0.1 || 1)];
  const pad = named ? air : (high - low) * air;
  const [from, to] = [low - pad, high + pad];
  const of = (v) => (v === null ? NaN : ((log ? Math.log10(Math.max(v, 1e-300)) : v) - from) / (to - from || 1));
  const ticks = (count) => (log ? decades(from, to, count) : roundTicks(from, to, count));
  return { of, ticks };
}

function decades(from, to, count) {
  const step = Math.max(1, Math.ceil((to - from) / count)), ticks = [];
  for (let e = Math.ceil(from); e <= to; e += step) ticks.push(10 ** e);
  return ticks.length ? ticks : [10 ** from, 10 ** to];
}

function roundTicks(from, to, count) {
  const rough = (to - from) / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].find((n) => n * power >= rough) * power, ticks = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; i++) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

function sized(canvas) {
  const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { ctx, width, height };
}

// ---- Text and elements --------------------------------------------------------------------------

function number(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const text = size !== 0 && (size < 1e-3 || size >= 1e6) ? Number(value.toPrecision(3)).toExponential() : String(Number(value.toPrecision(4)));
  return text.replace("-", "−");
}

function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

function icon(path) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS("http://www.w3.org/2000/svg", "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}

const PLAY = "M4 2.5v11l9.5-5.5z";
const PAUSE = "M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z";
const FIT = "M1.5 1.5H6V3H3v3H1.5zM10 1.5h4.5V6H13V3h-3zM1.5 10H3v3h3v1.5H1.5zM13 10h1.5v4.5H10V13h3z";

function select(label, choices, chosen) {
  const node = el("select", { "aria-label": label, title: label });
  for (const [value, text] of choices) node.append(el("option", { value, selected: value === chosen }, text));
  return node;
}

// ---- The player ---------------------------------------------------------------------------------

export function mount(element, data) {
  const page = element === document.body;
  const parts = buildParts(page);
  element.append(parts.root);
  const listeners = new AbortController();
  const on = (target, type, act, options = {}) => target.addEventListener(type, act, { signal: listeners.signal, ...options });

  let scene, view, colours, drawn = null, charts = [];
  const state = { position: 1, playing: false, forward: true, rest: 0, last: 0, pace: 16, asked: 0, turned: 0, cursor: null };
  const ctx = parts.canvas.getContext("2d");

  // Data in: everything that depends on the motion is made anew here.
  function show(next) {
    scene = compile(next);
    view = makeView(scene, view);
    colours = readColours(parts.root);
    parts.title.textContent = scene.title;
    parts.title.hidden = !scene.title;
    parts.canvas.setAttribute("aria-label", describe(scene));
    showAnswer(parts, next.answer);
    buildOptions(parts, scene, view, invalidate, on);
    buildTicks(parts, scene, seek);
    charts = buildCharts(parts, scene, seek);
    parts.bar.hidden = scene.frames < 2;
    resize();
    drawCharts();
    seek(state.position);
  }

  // Time
  function seek(position) {
    Object.assign(state, { position: clamp(position, 0, 1), fresh: false });
    const frame = frameAt(scene, state.position);
    const at = `${scene.axis} ${number(valueAt(scene.values, frame))} ${scene.unit}`.trim();
    parts.readout.textContent = at;
    parts.scrub.value = state.position;
    parts.scrub.setAttribute("aria-valuetext", at);
    for (const chart of charts) if (chart.follow) chart.follow(frame);
    invalidate();
  }
  function step(by) {
    pause();
    const frame = frameAt(scene, state.position);
    let next = by > 0 ? Math.floor(frame + 1e-6) + 1 : Math.ceil(frame - 1e-6) - 1;
    while (scene.timeline[next] === state.position) next += by; // frames at one place are one step
    seek(scene.timeline[clamp(next, 0, scene.frames - 1)]);
  }
  function play() {
    if (scene.frames < 2) return;
    if (state.fresh || (state.position >= 1 && parts.mode.value !== "bounce")) seek(0);
    Object.assign(state, { playing: true, last: 0, rest: 0 });
    showPlaying();
    invalidate();
  }
  function pause() {
    Object.assign(state, { playing: false, pace: 16 });
    view.hasty = false;
    showPlaying();
    invalidate();
  }
  function showPlaying() {
    parts.play.replaceChildren(icon(state.playing ? PAUSE : PLAY));
    parts.play.setAttribute("aria-label", state.playing ? "Pause" : "Play");
  }
  function advance(now) {
    const passed = state.last ? Math.min((now - state.last) / 1000, 0.1) : 0;
    state.last = now;
    if (state.rest > 0) { state.rest -= passed; return; }
    const duration = clamp(scene.frames / 15, 2.5, 8) / Number(parts.speed.value);
    if (state.position >= 1 && parts.mode.value === "loop") { seek(0); return; }
    const next = state.position + ((state.forward ? 1 : -1) * passed) / duration;
    if (next > 0 && next < 1) { seek(next); return; }
    seek(next);
    state.rest = scene.cycles && parts.mode.value === "loop" ? 0 : 0.6;
    if (parts.mode.value === "bounce") state.forward = next <= 0;
    else { state.forward = true; if (parts.mode.value === "once") pause(); }
  }

  // Drawing, once a screen frame and only when something changed
  function invalidate() {
    if (!state.asked) state.asked = requestAnimationFrame(frame);
  }
  function frame(now) {
    state.asked = 0;
    if (!ctx.canvas.width || !ctx.canvas.height) return; // not laid out yet, as in a notebook; its size is watched
    if (state.playing) {
      // Where the screen cannot keep up, small bodies go without edges until the motion rests.
      if (state.last) state.pace = 0.85 * state.pace + 0.15 * (now - state.last);
      view.hasty ||= state.pace > 30;
      advance(now);
    }
    if (view.turning) turn(state.turned ? Math.min(now - state.turned, 100) * 0.0004 : 0, 0);
    state.turned = view.turning ? now : 0;
    drawn = paint(ctx, scene, view, frameAt(scene, state.position), window.devicePixelRatio || 1, colours);
    if (state.cursor) hover(...state.cursor); // what lies under a resting cursor may have changed
    if (state.playing) invalidate();
  }
  function resize() {
    const { width, height } = sized(parts.canvas), { camera } = view;
    Object.assign(camera, { width, height });
    if (camera.fitted) fit();
    invalidate();
  }
  // `most` keeps what was fitted from growing while it turns.
  function fit(target, most = Infinity) {
    const { camera } = view, box = target ?? extent(scene, camera);
    const [w, h] = [box[2] - box[0], box[3] - box[1]], margin = Math.min(34, camera.width / 12);
    const scale = Math.min(most, (camera.width - 2 * margin) / (w || h || 1), (camera.height - 2 * margin - 14) / (h || w || 1));
    if (!target) camera.fitScale = scale;
    Object.assign(camera, { x: (box[0] + box[2]) / 2, y: (box[1] + box[3]) / 2 - 7 / scale, scale, fitted: !target });
    invalidate();
  }
  function drawCharts() {
    for (const chart of charts) chart.draw(colours);
    for (const chart of charts) if (chart.follow) chart.follow(frameAt(scene, state.position));
  }

  // Hands
  function turn(across, down) {
    const { camera } = view;
    camera.turn -= across;
    camera.tilt = clamp(camera.tilt + down, -Math.PI / 2, Math.PI / 2);
    if (camera.fitted) fit(null, camera.scale);
    invalidate();
  }
  function settle() { // names find their places anew once the hand has turned the view
    view.sides = null;
    invalidate();
  }
  listenCamera(parts, on, () => view.camera, { invalidate, turn, settle, hover, seekBody });
  function hover(x, y) {
    state.cursor = x === null ? null : [x, y];
    const found = drawn && state.cursor ? pick(ctx, scene, drawn, x, y, view) : { text: "", body: -1 };
    if (found.body !== view.hovered) { view.hovered = found.body; invalidate(); }
    parts.tip.hidden = !found.text;
    if (!found.text) return;
    parts.tip.textContent = found.text;
    const { width, height } = view.camera;
    const left = clamp(x + 14, 4, Math.max(4, width - parts.tip.offsetWidth - 4));
    parts.tip.style.transform = `translate(${left}px, ${clamp(y + 16, 4, height - parts.tip.offsetHeight - 4)}px)`;
  }
  function seekBody(x, y) { // double-click: close up on a body, or all of it
    const { body } = pick(ctx, scene, drawn, x, y, view);
    if (body < 0 || !view.camera.fitted) { fit(); return; }
    const t = drawn.matrices[body], shape = scene.shapes[scene.bodyShapes[body]], { camera } = view;
    const cx = camera.x + (t[0] * shape.x + t[2] * shape.y + t[4] - camera.width / 2) / camera.scale;
    const cy = camera.y - (t[1] * shape.x + t[3] * shape.y + t[5] - camera.height / 2) / camera.scale;
    const reach = shape.radius * 3;
    fit([cx - reach, cy - reach, cx + reach, cy + reach]);
  }
  function key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const tag = event.target.tagName;
    if (tag === "SELECT" || tag === "TEXTAREA" || (tag === "INPUT" && event.target.type !== "range" && event.key !== "f")) return;
    if (event.key === " " && tag === "BUTTON") return; // the button answers itself
    const { width, height } = view.camera;
    const zoom = (factor) => { zoomAbout(view.camera, width / 2, height / 2, factor); invalidate(); };
    const acts = {
      " ": () => (state.playing ? pause() : play()), ArrowRight: () => step(1), ArrowLeft: () => step(-1),
      Home: () => { pause(); seek(0); }, End: () => { pause(); seek(1); },
      f: () => fit(), "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8),
    };
    if (!acts[event.key]) return;
    acts[event.key]();
    event.preventDefault();
  }
  on(element, "keydown", key);
  on(parts.play, "click", () => (state.playing ? pause() : play()));
  on(parts.scrub, "input", () => { pause(); seek(Number(parts.scrub.value)); });
  on(parts.fit, "click", () => fit());
  on(window.matchMedia("(prefers-color-scheme: dark)"), "change", () => {
    colours = readColours(parts.root);
    drawCharts();
    invalidate();
  });
  const watcher = new ResizeObserver(() => { resize(); drawCharts(); });

  showPlaying();
  show(data);
  seek(scene.timeline[opening(scene)]);
  state.fresh = true; // whatever it opens with, it plays from the start
  watcher.observe(parts.stage);
  return {
    seek, play, pause, show, fit: () => fit(),
    destroy() {
      listeners.abort();
      watcher.disconnect();
      cancelAnimationFrame(state.asked);
      parts.root.remove();
    },
  };
}

// What the person has chosen to see. Choices and camera survive new data where they still make sense.
function makeView(scene, old) {
  const joints = scene.joints.length, few = (joints || scene.bodies.length) <= 12;
  const traced = scene.traced.length > 0; // curves show the motion: no outlines of the start, no other paths
  const same = old && old.camera.spatial === scene.spatial;
  return {
    camera: same ? old.camera
      : { spatial: scene.spatial, at: middleOf(scene), turn: (-35 * Math.PI) / 180, tilt: (24 * Math.PI) / 180, x: 0, y: 0, scale: 1, fitScale: 1, fitted: true, width: 1, height: 1 },
    turning: Boolean(old?.turning) && scene.spatial,
    before: old ? old.before : !traced,
    names: old ? old.names : few && joints > 0,
    trails: !traced && joints > 0 && joints <= 24 && scene.frames > 2,
    layers: scene.layers.map(() => true),
    traced: scene.pointNames.map((name) => (scene.traced.includes(name) ? traceColour(scene.traced, name) : "")),
    sides: null,
    scalar: (old?.scalar && scene.scalars.find((s) => s.name === old.scalar.name)) || scene.heat,
    hovered: -1,
    hasty: false,
    beforeLayer: { key: "", canvas: document.createElement("canvas") },
    poseRow: new Float64Array(scene.bodies.length * 3),
    pointRow: new Float64Array(scene.pointNames.length * 3),
    bodyHeat: new Float64Array(scene.bodies.length),
    strokeHeat: new Float64Array(scene.strokes.length),
  };
}

function describe(scene) {
  const count = (n, one, many) => (n === 1 ? `1 ${one}` : `${n} ${many}`);
  const bodies = count(scene.bodies.length, "body", "bodies"), points = count(scene.pointNames.length, "point", "points");
  return `${scene.title || "Motion"}: ${bodies}, ${points}, ${count(scene.frames, "frame", "frames")}. Space plays, arrows step, F fits the view.`;
}

function readColours(root) {
  const style = getComputedStyle(root);
  const names = ["page", "panel", "ink", "faint", "rule", "accent", "before", "body", "body-edge", "fixed", "fixed-edge", "stroke", "joint", "trail", "hover"];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

// ---- Parts of the page --------------------------------------------------------------------------

function buildParts(page) {
  const parts = {
    title: el("h1"),
    readout: el("span", { class: "readout" }),
    canvas: el("canvas", { role: "img", tabindex: "0" }),
    tip: el("div", { class: "tip", hidden: true }),
    legend: el("div", { class: "legend", hidden: true }),
    fit: el("button", { type: "button", "aria-label": "Fit to view", title: "Fit to view (F)" }, icon(FIT)),
    play: el("button", { type: "button", class: "play", title: "Play or pause (space)" }),
    scrub: el("input", { type: "range", min: "0", max: "1", step: "any", "aria-label": "Position in the motion" }),
    ticks: el("div", { class: "ticks" }),
    speed: select("Speed", [["0.25", "¼×"], ["0.5", "½×"], ["1", "1×"], ["2", "2×"], ["4", "4×"]], "1"),
    mode: select("At the end", [["loop", "Loop"], ["bounce", "Back and forth"], ["once", "Once"]], "loop"),
    options: el("div", { class: "options" }),
    verdict: el("p", { class: "verdict" }),
    figures: el("details", { class: "figures", open: true }),
    signals: el("div", { class: "charts signals" }),
    plots: el("div", { class: "charts plots" }),
  };
  parts.stage = el("div", { class: "stage" }, parts.canvas, el("div", { class: "corner" }, parts.fit), parts.legend, parts.tip);
  parts.bar = el("div", { class: "bar" }, parts.play, el("div", { class: "scrub" }, parts.scrub, parts.ticks), parts.speed, parts.mode);
  parts.root = el(page ? "main" : "div", { class: "pliant-player" },
    el("header", {}, parts.title, parts.readout), parts.verdict, parts.stage, parts.bar, parts.options, parts.figures, parts.signals, parts.plots);
  return parts;
}

// The answer in words: its sentence above the picture, figures and notes below it.
function showAnswer(parts, answer) {
  parts.verdict.hidden = !answer;
  parts.figures.hidden = !answer?.lines.length;
  if (!answer) return;
  parts.verdict.className = `verdict ${answer.tone}`;
  parts.verdict.replaceChildren(answer.sentence, ...answer.alerts.map((text) => el("span", { class: "alert" }, text)));
  const rows = answer.lines.flatMap(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]);
  parts.figures.replaceChildren(el("summary", {}, "Figures and notes"), el("dl", {}, ...rows));
}

function buildOptions(parts, scene, view, invalidate, on) {
  parts.options.replaceChildren();
  const add = (text, colour, checked, act) => {
    const box = el("input", { type: "checkbox", checked });
    const swatch = el("span", { class: "swatch" });
    swatch.style.background = colour;
    swatch.hidden = !colour;
    on(box, "change", () => { act(box.checked); invalidate(); });
    parts.options.append(el("label", {}, box, swatch, text));
  };
  if (scene.frames > 1) add("Before", "var(--before)", view.before, (yes) => { view.before = yes; });
  add("Names", "", view.names, (yes) => { view.names = yes; });
  if (scene.spatial) add("Turn", "", view.turning, (yes) => { view.turning = yes; });
  if (scene.joints.length && scene.frames > 2) add("Paths", "var(--trail)", view.trails, (yes) => { view.trails = yes; });
  scene.layers.forEach(({ title, colour }, l) => {
    if (title) add(title, colour.startsWith("#") ? colour : `var(--${colour})`, true, (yes) => { view.layers[l] = yes; });
  });
  if (scene.scalars.length) {
    const chosen = String(scene.scalars.indexOf(view.scalar));
    const choose = select("Colour by", [["-1", "plain"], ...scene.scalars.map((s, i) => [String(i), s.name])], chosen);
    on(choose, "change", () => {
      view.scalar = scene.scalars[Number(choose.value)] ?? null;
      showLegend(parts, view.scalar);
      invalidate();
    });
    parts.options.append(el("label", {}, "Colour by", choose));
  }
  showLegend(parts, view.scalar);
}

function showLegend(parts, scalar) {
  parts.legend.hidden = !scalar;
  if (!scalar) return;
  const { low, high, colours } = scalar.scale;
  const strip = el("canvas", { width: LEVELS, height: 1, "aria-hidden": "true" }), pen = strip.getContext("2d");
  colours.forEach((colour, i) => { pen.fillStyle = colour; pen.fillRect(i, 0, 1, 1); });
  const ends = el("div", {}, el("span", {}, number(low)), el("span", {}, number(high)));
  parts.legend.replaceChildren(scalar.name, strip, ends);
}

function buildTicks(parts, scene, seek) {
  parts.ticks.replaceChildren(...scene.events.map((event) => {
    const text = `${event.text} (${scene.axis} ${number(event.at)} ${scene.unit}`.trim() + ")";
    const tick = el("button", { type: "button", title: text, "aria-label": text });
    tick.style.left = `${100 * event.position}%`;
    tick.addEventListener("click", () => seek(event.position));
    return tick;
  }));
}

function buildCharts(parts, scene, seek) {
  const along = scene.oneWay ? scene.values : Float64Array.from(scene.values, (_, f) => f);
  const signals = scene.frames > 1 ? scene.signals.map((signal, i) => signalChart(signal, SERIES[i % SERIES.length], scene, along, seek)) : [];
  const plots = scene.plots.map(plotChart);
  parts.signals.replaceChildren(...signals.map((chart) => chart.node));
  parts.plots.replaceChildren(...plots.map((chart) => chart.node));
  parts.signals.hidden = !signals.length;
  parts.plots.hidden = !plots.length;
  return [...signals, ...plots];
}

function signalChart(signal, colour, scene, along, seek) {
  const canvas = el("canvas", { role: "img", "aria-label": `${signal.name} along ${scene.axis}` });
  const cursor = el("div", { class: "cursor" }), value = el("output");
  const frame = el("div", { class: "chart" }, canvas, cursor);
  const unit = signal.unit ? ` (${signal.unit})` : "";
  const plot = {
    title: signal.name, x_label: scene.oneWay ? `${scene.axis}${scene.unit ? ` (${scene.unit})` : ""}` : "frame", y_label: signal.name + unit,
    x_scale: "linear", y_scale: scaleFor(signal.values), ticks: [],
    series: [{ name: "", style: "line", colour, x: [...along], y: Array.from(signal.values, (one) => (Number.isFinite(one) ? one : null)) }],
  };
  let tones = {};
  const node = el("figure", {}, el("figcaption", {}, el("span", {}, signal.name + unit), value, saveButtons(plot, () => tones)), frame);
  const [left, right] = [along[0], along[along.length - 1]].sort((a, b) => a - b); // an axis that falls is drawn like any other
  let box = null;
  const to = (event) => {
    const share = (event.clientX - frame.getBoundingClientRect().left - box.left) / (box.right - box.left);
    seek(valueAt(scene.timeline, frameOn(along, left + share * (right - left))));
  };
  frame.addEventListener("pointerdown", (event) => { frame.setPointerCapture(event.pointerId); to(event); });
  frame.addEventListener("pointermove", (event) => { if (event.buttons) to(event); });
  addReadout(frame, plot, () => box);
  return {
    node,
    draw(colours) { tones = colours; box = drawChart(sized(canvas), plot, colours, true); },
    follow(at) {
      value.textContent = number(valueAt(signal.values, at));
      const share = (valueAt(along, at) - left) / (right - left);
      if (box) cursor.style.transform = `translateX(${box.left + share * (box.right - box.left)}px)`;
    },
  };
}

// What each series has nearest to a place on a chart: across where its x runs one way, else in the plane.
function nearest(plot, { px, py }, mx, my) {
  const found = plot.series.map((series) => {
    const across = runsOneWay(series.x);
    let best = -1, least = Infinity;
    series.x.forEach((x, i) => {
      const far = Math.hypot(px(x) - mx, across ? 0 : py(series.y[i]) - my);
      if (series.y[i] !== null && far < least) [best, least] = [i, far];
    });
    return { series, i: best, far: least };
  }).filter(({ i }) => i >= 0);
  const least = Math.min(...found.map(({ far }) => far));
  return found.filter(({ far }) => far <= least + 1);
}

function readoutText(plot, found) {
  const x = found[0].series.x[found[0].i], range = ({ low, high }, i) => (low && high ? ` (${number(low[i])} to ${number(high[i])})` : "");
  const rows = found.slice(0, 8).map(({ series, i }) => `${series.name || plot.y_label}: ${number(series.y[i])}${range(series, i)}`);
  return [`${plot.x_label}: ${plot.ticks.length ? plot.ticks[x] : number(x)}`, ...rows].join("\n");
}

// Under the pointer: a line at the nearest values, and what they are.
function addReadout(frame, plot, where) {
  const line = el("div", { class: "hair", hidden: true }), tip = el("div", { class: "reading", hidden: true });
  frame.append(line, tip);
  const leave = () => { line.hidden = tip.hidden = true; };
  frame.addEventListener("pointerleave", leave);
  frame.addEventListener("pointermove", (event) => {
    const rim = frame.getBoundingClientRect(), [mx, my] = [event.clientX - rim.left, event.clientY - rim.top];
    const box = where(), found = box ? nearest(plot, box, mx, my) : [];
    if (!found.length || mx < box.left - 4 || mx > box.right + 4) { leave(); return; }
    line.hidden = tip.hidden = false;
    tip.textContent = readoutText(plot, found);
    const x = box.px(found[0].series.x[found[0].i]);
    line.style.transform = `translateX(${x}px)`;
    const left = x + 12 + tip.offsetWidth < rim.width ? x + 12 : Math.max(0, x - 12 - tip.offsetWidth);
    tip.style.transform = `translate(${left}px, 6px)`;
  });
}

// The columns that `Plot.table` has, and `-o chart.csv`.
function chartTable(plot) {
  const columns = plot.series.flatMap((series, i) => {
    const label = series.name || (i ? `${plot.y_label} ${i + 1}` : plot.y_label);
    const edges = ["low", "high", "z"].filter((edge) => series[edge]).map((edge) => [`${label}, ${edge}`, series[edge]]);
    return [[`${plot.x_label}, ${label}`, series.x], [label, series.y], ...edges];
  });
  const rows = columns.reduce((most, [, values]) => Math.max(most, values.length), 0);
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const head = columns.map(([name]) => quoted(/^[=+\-@\t\r]/.test(name) ? `'${name}` : name)); // no formula to a spreadsheet
  const body = Array.from({ length: rows }, (_, i) => columns.map(([, values]) => (Number.isFinite(values[i] ?? NaN) ? values[i] : "")).join(","));
  return [head.join(","), ...body, ""].join("\n");
}

// A chart on a page of its own, with its title above and its key below.
function chartPicture(plot, colours) {
  const [width, height, ratio] = [760, 480, 2], canvas = el("canvas", { width: width * ratio, height: height * ratio });
  const ctx = canvas.getContext("2d"), named = plot.series.length > 1 ? looks(plot) : [];
  ctx.scale(ratio, ratio);
  ctx.fillStyle = colours.page;
  ctx.fillRect(0, 0, width, height);
  ctx.font = FONT;
  ctx.textBaseline = "middle";
  let [x, y] = [16, height - 14 - 16 * Math.max(0, Math.ceil(named.length / 4) - 1)];
  const foot = named.length ? height - y + 12 : 8;
  named.forEach(([series, look], i) => {
    if (i && i % 4 === 0) [x, y] = [16, y + 16];
    ctx.fillStyle = colours[look.colour] ?? look.colour;
    ctx.fillRect(x, y - 2, 14, 4);
    ctx.fillStyle = colours.ink;
    ctx.fillText(series.name, x + 20, y, 150);
    x += 185;
  });
  ctx.fillStyle = colours.ink;
  ctx.fillText(plot.title, 16, 18, width - 32);
  ctx.translate(12, 36);
  drawChart({ ctx, width: width - 24, height: height - 36 - foot }, plot, colours, false);
  return canvas;
}

function save(name, blob) {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function saveButtons(plot, colours) {
  const name = plot.title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60).toLowerCase() || "chart";
  const csv = el("button", { type: "button", title: `Save ${plot.title} as a table` }, "CSV");
  csv.addEventListener("click", () => save(`${name}.csv`, new Blob([chartTable(plot)], { type: "text/csv" })));
  const png = el("button", { type: "button", title: `Save ${plot.title} as a picture` }, "PNG");
  png.addEventListener("click", () => chartPicture(plot, colours()).toBlob((blob) => save(`${name}.png`, blob)));
  return el("span", { class: "save" }, csv, png);
}

// A signal over many powers of ten and never below zero is read on a logarithmic scale, unless only a few of
// its values are that small: one that rises from nothing is none.
function scaleFor(values) {
  const above = values.filter((value) => value > 0).sort((a, b) => a - b);
  if (!above.length || values.some((value) => value < 0)) return "linear";
  const least = above[0], middle = above[above.length >> 1], most = above[above.length - 1];
  return most > 1e4 * least && most > 100 * middle ? "log" : "linear";
}

function plotChart(plot) {
  const canvas = el("canvas", { role: "img", "aria-label": `${plot.title}: ${plot.y_label} against ${plot.x_label}` });
  const frame = el("div", { class: "chart" }, canvas);
  let box = null, tones = {};
  const node = el("figure", {}, el("figcaption", {}, el("span", {}, plot.title), saveButtons(plot, () => tones)), frame);
  addReadout(frame, plot, () => box);
  if (plot.series.length > 1) {
    node.append(el("div", { class: "keys" }, ...looks(plot).map(([series, { colour, alpha }]) => {
      const swatch = el("span", { class: `swatch ${series.style}` });
      swatch.style.color = `color-mix(in srgb, ${colour.startsWith("#") ? colour : `var(--${colour})`} ${100 * alpha}%, transparent)`;
      return el("span", {}, swatch, series.name);
    })));
  }
  if (plot.note) node.append(el("p", { class: "note" }, plot.note));
  return { node, draw(colours) { tones = colours; box = drawChart(sized(canvas), plot, colours, false); } };
}

// ---- Mouse and touch ----------------------------------------------------------------------------

// One finger or button pans (in space: turns; with shift, pans); two fingers pan and zoom; the wheel zooms.
function listenCamera(parts, on, camera, act) {
  const held = new Map();
  const place = (event) => {
    const box = parts.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const pan = (dx, dy) => {
    const c = camera();
    c.x -= dx / c.scale;
    c.y += dy / c.scale;
    c.fitted = false;
  };
  on(parts.canvas, "pointerdown", (event) => {
    held.set(event.pointerId, place(event));
    parts.canvas.setPointerCapture(event.pointerId);
    act.hover(null);
  });
  on(parts.canvas, "pointermove", (event) => {
    const now = place(event);
    if (!held.has(event.pointerId)) { act.hover(...now); return; }
    const before = held.get(event.pointerId), [dx, dy] = [now[0] - before[0], now[1] - before[1]];
    const other = [...held].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const spread = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]);
      zoomAbout(camera(), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2, spread(now) / (spread(before) || 1));
      pan(dx / 2, dy / 2);
    } else if (camera().spatial && !event.shiftKey) act.turn(dx * 0.008, dy * 0.008);
    else pan(dx, dy);
    held.set(event.pointerId, now);
    act.invalidate();
  });
  for (const type of ["pointerup", "pointercancel"]) on(parts.canvas, type, (event) => {
    held.delete(event.pointerId);
    if (camera().spatial) act.settle();
  });
  on(parts.canvas, "pointerleave", () => act.hover(null));
  on(parts.canvas, "wheel", (event) => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    zoomAbout(camera(), ...place(event), Math.exp(-clamp(event.deltaY * lines, -240, 240) * 0.0022));
    act.invalidate();
  }, { passive: false });
  on(parts.canvas, "dblclick", (event) => act.seekBody(...place(event)));
}
