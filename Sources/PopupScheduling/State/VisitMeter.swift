/// Counts what rules go through: popups of long queues, groups of wide commands. Whoever calls bounds by it what is
/// done at once.
///
/// A reference, so that a rule that only looks can count, too. Nothing that is decided depends on it.
final class VisitMeter {
    var count = 0
}
