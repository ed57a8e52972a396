/** The messages that this driver sends or understands, under the names of the protocol's manual. */
export const AptId = {
  hardwareRequestInfo: 0x0005,
  hardwareGetInfo: 0x0006,
  hardwareStopUpdates: 0x0012,
  hardwareResponse: 0x0080,
  hardwareRichResponse: 0x0081,
  setChannelEnable: 0x0210,
  requestChannelEnable: 0x0211,
  getChannelEnable: 0x0212,
  getEncoderCounter: 0x040b,
  getPositionCounter: 0x0412,
  setVelocityParameters: 0x0413,
  requestVelocityParameters: 0x0414,
  getVelocityParameters: 0x0415,
  getJogParameters: 0x0418,
  requestLimitSwitchParameters: 0x0424,
  getLimitSwitchParameters: 0x0425,
  getStatusBits: 0x042a,
  requestGeneralMoveParameters: 0x043b,
  getGeneralMoveParameters: 0x043c,
  requestHomeParameters: 0x0441,
  getHomeParameters: 0x0442,
  moveHome: 0x0443,
  moveHomed: 0x0444,
  moveAbsolute: 0x0453,
  moveCompleted: 0x0464,
  moveStop: 0x0465,
  moveStopped: 0x0466,
  requestStepperStatus: 0x0480,
  getStepperStatus: 0x0481,
  requestServoStatus: 0x0490,
  getServoStatus: 0x0491,
} as const;

const KNOWN = new Set<number>(Object.values(AptId));

export function isKnownAptId(id: number): boolean {
  return KNOWN.has(id);
}
