/// The milliseconds of longer units of time.
package enum Milliseconds {
    package static let perMinute: UInt64 = 60_000
    package static let perHour: UInt64 = 60 * perMinute
    package static let perDay: UInt64 = 24 * perHour
}
