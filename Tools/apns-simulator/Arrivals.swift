import Glibc

/// When pushes came whose payloads bear a number under a certain key: for a load test, which knows of each number when
/// its push was due.
struct Arrivals {
    /// A number and when it came, in microseconds since 1970.
    struct Arrival: Equatable {
        var number: UInt64
        var time: Int64
    }

    /// So many are kept until they are asked for; of more only the count.
    static let limit = 1 << 20

    private var key = ""
    /// What stands in a payload before the number.
    private var mark: [UInt8] = []
    private(set) var waiting: [Arrival] = []
    private(set) var lost = 0

    /// Whether anybody has asked.
    var isWanted: Bool { !mark.isEmpty }

    /// Notes a push that was accepted for the first time; a number that is 0 or no number at all does not count.
    mutating func note(_ payload: UnsafeRawBufferPointer, at time: Int64) {
        guard let end = endOfMark(in: payload) else { return }
        var number: UInt64 = 0
        for byte in payload[end...].prefix(18) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { break }
            number = number * 10 + UInt64(byte - UInt8(ascii: "0"))
        }
        guard number > 0 else { return }
        if waiting.count < Self.limit { waiting.append(Arrival(number: number, time: time)) } else { lost += 1 }
    }

    /// Where the number begins.
    private func endOfMark(in payload: UnsafeRawBufferPointer) -> Int? {
        guard let start = payload.baseAddress else { return nil }
        var place = 0
        while place + mark.count < payload.count,
            let quote = memchr(start + place, Int32(UInt8(ascii: "\"")), payload.count - mark.count - place)
        {
            place = UnsafeRawPointer(quote) - start
            if memcmp(quote, mark, mark.count) == 0 { return place + mark.count }
            place += 1
        }
        return nil
    }

    /// What has come under `key` since the last time; another key than the last time begins anew.
    mutating func take(under key: String) -> (arrivals: [Arrival], lost: Int) {
        defer {
            if key != self.key { mark = Array("\(quoted(key)):".utf8) }
            self.key = key
            waiting = []
            lost = 0
        }
        return key == self.key ? (waiting, lost) : ([], 0)
    }
}
