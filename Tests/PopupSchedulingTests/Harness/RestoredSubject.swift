import PopupScheduling

/// A scheduler that is restored from its own state before each command and timer.
final class RestoredSubject: SchedulerSubject {
    override func perform(
        _ instruction: Instruction, from sender: ProducerID?, of user: String, at time: Milliseconds
    ) -> (events: [Occurrence], refusal: Refusal?) {
        restore()
        return super.perform(instruction, from: sender, of: user, at: time)
    }

    override func step(until time: Milliseconds) -> [Occurrence]? {
        restore()
        return super.step(until: time)
    }
}
