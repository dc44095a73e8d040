/** A reason not to start that a person can do something about: printed as it is, without a stack. */
export class StartRefusal extends Error {
  override name = 'StartRefusal';
}
