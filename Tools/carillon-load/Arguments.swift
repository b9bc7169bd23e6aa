import ArgumentParser
import CarillonClient
import CarillonCore

/// A length of time as people write it: `500ms`, `10s`, `5m`, `2h`. Without a unit it is seconds.
struct TimeSpan: ExpressibleByArgument, Equatable {
    var milliseconds: UInt64

    var duration: Duration { .milliseconds(Int64(milliseconds)) }
    var seconds: Double { Double(milliseconds) / 1_000 }

    init(seconds: UInt64) {
        milliseconds = seconds * 1_000
    }

    /// At most a week.
    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        let units: [String: UInt64] = ["ms": 1, "": 1_000, "s": 1_000, "m": 60_000, "h": 3_600_000]
        guard let number = UInt64(digits), let unit = units[String(argument.dropFirst(digits.count))] else {
            return nil
        }
        let (milliseconds, overflow) = number.multipliedReportingOverflow(by: unit)
        guard !overflow, milliseconds <= 604_800_000 else { return nil }
        self.milliseconds = milliseconds
    }

    var defaultValueDescription: String { "\(milliseconds / 1_000)s" }
}

extension Mix: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }
    var defaultValueDescription: String { text }
}

extension KeyDistribution: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }
    var defaultValueDescription: String { text }
}

extension Schedule.Arrivals: ExpressibleByArgument {}

/// The address of a server, as `host:port`, `[address]:port` or `unix:path`.
struct AddressArgument: ExpressibleByArgument, Equatable {
    var address: CarillonClient.Configuration.Address

    init(address: CarillonClient.Configuration.Address) {
        self.address = address
    }

    init?(argument: String) {
        if argument.hasPrefix("unix:") {
            guard argument.count > 5 else { return nil }
            address = .unixSocket(path: String(argument.dropFirst(5)))
            return
        }
        guard let colon = argument.lastIndex(of: ":"),
            let port = UInt16(argument[argument.index(after: colon)...]), port > 0
        else { return nil }
        var host = argument[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        address = .tcp(host: String(host), port: Int(port))
    }

    /// Whether nothing leaves this machine on the way there.
    var isLocal: Bool {
        switch address {
        case .unixSocket: true
        case .tcp(let host, _):
            host == "localhost" || host == "::1"
                || (host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." })
        }
    }
}
