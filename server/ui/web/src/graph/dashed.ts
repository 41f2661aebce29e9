// An arrow whose line is dashed, for what is only possible: sigma's own arrow with gaps cut into its line.

import { createEdgeArrowHeadProgram, createEdgeClampedProgram, createEdgeCompoundProgram, type EdgeProgramType } from "sigma/rendering";

const DASH = "9.0"; // pixels from one dash to the next
const INK = "4.5"; // of them drawn
/** How large the head of an arrow is, in widths of its line: large enough to see which way it leads. */
export const HEAD = { lengthToThicknessRatio: 5, widenessToThicknessRatio: 4 };
const MAIN = /void main\((?:void)?\) \{/;

interface Definition {
  VERTEX_SHADER_SOURCE: string;
  FRAGMENT_SHADER_SOURCE: string;
}
type Clamped = new (...given: never[]) => { getDefinition(): Definition };

function put(shader: string, before: string, first: string): string {
  if (!MAIN.test(shader)) throw new Error("the shader of an edge is not what it was");
  return shader.replace(MAIN, `${before}\nvoid main() {\n${first}\n`);
}

class DashedLine extends (createEdgeClampedProgram({ lengthToThicknessRatio: HEAD.lengthToThicknessRatio }) as unknown as Clamped) {
  override getDefinition(): Definition {
    const plain = super.getDefinition();
    const along = "varying float v_along;";
    return {
      ...plain,
      VERTEX_SHADER_SOURCE: put(
        plain.VERTEX_SHADER_SOURCE,
        along,
        "  v_along = a_positionCoef * distance(a_positionStart, a_positionEnd) / u_correctionRatio;",
      ),
      FRAGMENT_SHADER_SOURCE: put(plain.FRAGMENT_SHADER_SOURCE, along, `  if (mod(v_along, ${DASH}) > ${INK}) discard;`),
    };
  }
}

export const DashedArrow: EdgeProgramType = createEdgeCompoundProgram([
  DashedLine as unknown as EdgeProgramType,
  createEdgeArrowHeadProgram(HEAD),
]);
