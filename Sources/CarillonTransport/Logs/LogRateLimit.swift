import CarillonCore

/// A limit of the log lines of one kind in a window of time: a fault that every connection meets must not fill the log.
/// Durations are in milliseconds.
struct LogRateLimit: Sendable {
    /// The most lines of one kind in a window. Further lines are counted, and not written.
    static let maximumLines = 10
    /// The milliseconds of a window, which begins with the first line of its kind.
    static let windowMilliseconds: UInt64 = 60_000
    /// The most kinds that are told apart. All further kinds count as one.
    private static let maximumKinds = 32

    private struct Window {
        var began: Uptime
        var lines = 0
        var omitted = 0
    }

    private var windows: [String: Window] = [:]

    init() {}

    /// Counts a line, and decides whether it is written. Returns the number of lines of its kind that were omitted
    /// since the last one that was written; nil if this one is to be omitted too.
    mutating func admitLine(of kind: String, at now: Uptime) -> Int? {
        let kind = windows[kind] != nil || windows.count < Self.maximumKinds ? kind : ""
        var window = windows[kind] ?? Window(began: now)
        if now.milliseconds(since: window.began) >= Self.windowMilliseconds {
            window = Window(began: now, omitted: window.omitted)
        }
        defer { windows[kind] = window }
        guard window.lines < Self.maximumLines else {
            window.omitted += 1
            return nil
        }
        window.lines += 1
        defer { window.omitted = 0 }
        return window.omitted
    }
}
