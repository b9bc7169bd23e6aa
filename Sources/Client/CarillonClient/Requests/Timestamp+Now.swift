import CarillonClock
public import CarillonCore

/// Times relative to now.
extension Timestamp {
    /// Returns the time so long from now, by the clock of this machine: `SendOptions(sendAt:
    /// .fromNow(.seconds(3_600)))`.
    public static func fromNow(_ duration: Duration) -> Timestamp {
        Clock.wallTime().later(byMilliseconds: duration.milliseconds)
    }
}
