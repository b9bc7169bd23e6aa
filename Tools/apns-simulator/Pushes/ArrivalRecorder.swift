import CarillonSimulator
import Glibc

/// The arrival times of pushes whose payloads have a number under a certain key. A load test knows when the push with
/// each number was due.
struct ArrivalRecorder {
    /// A number and its arrival time, in microseconds since 1970.
    struct Arrival: Equatable {
        var number: UInt64
        var time: Int64
    }

    /// The most arrivals that are kept until they are asked for. Further ones are only counted.
    static let maximumWaiting = 1 << 20

    private var key = ""
    /// The bytes of a payload before the number.
    private var mark: [UInt8] = []
    /// The arrivals that were not asked for yet.
    private(set) var waiting: [Arrival] = []
    /// The number of arrivals beyond the maximum.
    private(set) var lostCount = 0

    /// True if a client has asked for arrivals.
    var isWanted: Bool { !mark.isEmpty }

    /// Records a push that was accepted for the first time. A value is ignored if it is 0 or no number.
    mutating func record(_ payload: UnsafeRawBufferPointer, at time: Int64) {
        guard let end = startOfNumber(in: payload) else { return }
        var number: UInt64 = 0
        for byte in payload[end...].prefix(18) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { break }
            number = number * 10 + UInt64(byte - UInt8(ascii: "0"))
        }
        guard number > 0 else { return }
        if waiting.count < Self.maximumWaiting {
            waiting.append(Arrival(number: number, time: time))
        } else {
            lostCount += 1
        }
    }

    /// Returns the index at which the number begins; nil if the payload has no number.
    private func startOfNumber(in payload: UnsafeRawBufferPointer) -> Int? {
        guard let start = payload.baseAddress else { return nil }
        var index = 0
        while index + mark.count < payload.count,
            let quote = memchr(start + index, Int32(UInt8(ascii: "\"")), payload.count - mark.count - index)
        {
            index = UnsafeRawPointer(quote) - start
            if memcmp(quote, mark, mark.count) == 0 { return index + mark.count }
            index += 1
        }
        return nil
    }

    /// Removes and returns the arrivals under `key` since the last call. With another key than in the last call,
    /// recording begins anew.
    mutating func take(under key: String) -> (arrivals: [Arrival], lostCount: Int) {
        defer {
            if key != self.key { mark = Array("\(key.asJSON):".utf8) }
            self.key = key
            waiting = []
            lostCount = 0
        }
        return key == self.key ? (waiting, lostCount) : ([], 0)
    }
}
