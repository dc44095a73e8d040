/** What a fake does next: a fixed answer, or a function of the request and its number (from 0). */
export type Scripted<Request, Answer> = Answer | ((request: Request, index: number) => Answer | Promise<Answer>);

/** Answers in the order they were queued, then the standing one for ever. */
export class AnswerScript<Request, Answer extends object> {
  private readonly queued: Scripted<Request, Answer>[] = [];

  constructor(private standing: Scripted<Request, Answer>) {}

  /** Sets what is answered whenever nothing is queued. */
  always(answer: Scripted<Request, Answer>): void {
    this.standing = answer;
  }

  /** Queues answers for the next requests, one each. */
  next(...answers: Scripted<Request, Answer>[]): void {
    this.queued.push(...answers);
  }

  /** The answer to this request. */
  async answer(request: Request, index: number): Promise<Answer> {
    const scripted = this.queued.shift() ?? this.standing;
    return typeof scripted === 'function' ? scripted(request, index) : scripted;
  }
}
