import CarillonClient
import CarillonCore
import Foundation

/// One line of a file of registrations.
enum RegistrationLine {
    /// What a line that does not say it itself gets.
    struct Template {
        var app: AppID
        var environment = Environment.production
        var kind = TokenKind.device
        var seenAt = Timestamp.zero
        var locale: String?
        var timeZone: String?
    }

    /// Why a line is refused, by this program or by the server.
    struct Fault: Error, Equatable {
        var code: String
        var field: String?
        var message: String

        init(field: String? = nil, _ message: String) {
            code = "INVALID_LINE"
            self.field = field
            self.message = message
        }

        init(_ error: CarillonError) {
            code = error.code.description
            field = error.field
            message = error.message
        }
    }

    private static let names: Set = [
        "app", "token", "environment", "kind", "replaces", "locale", "time_zone", "seen_at",
    ]

    /// Reads a line of JSON.
    static func parse(_ line: [UInt8], _ template: Template) -> Result<Registration, Fault> {
        // Why: what is not JSON is told as that, whatever the parser's reason.
        guard let members = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any] else {
            return .failure(Fault("not a JSON object"))
        }
        if let unknown = members.keys.sorted().first(where: { !names.contains($0) }) {
            return .failure(Fault(field: unknown, "not a name that a registration has"))
        }
        do throws(Fault) {
            let address = DeviceAddress(
                environment: try read(members, "environment", Environment.init(name:)) ?? template.environment,
                kind: try read(members, "kind", TokenKind.init(name:)) ?? template.kind,
                token: try required(try read(members, "token", DeviceToken.init(hex:)), "token")
            )
            return .success(
                Registration(
                    app: try read(members, "app", { AppID($0) }) ?? template.app,
                    address: address,
                    seenAt: try time(members["seen_at"]) ?? template.seenAt,
                    replaces: try read(members, "replaces", DeviceToken.init(hex:)),
                    locale: try read(members, "locale", { $0 }) ?? template.locale,
                    timeZone: try read(members, "time_zone", { $0 }) ?? template.timeZone
                )
            )
        } catch {
            return .failure(error)
        }
    }

    private static func read<T>(
        _ members: [String: Any],
        _ name: String,
        _ convert: (String) -> T?
    ) throws(Fault) -> T? {
        guard let value = members[name], !(value is NSNull) else { return nil }
        guard let text = value as? String, let converted = convert(text) else {
            throw Fault(field: name, "\(name) has a value that it cannot have")
        }
        return converted
    }

    private static func required<T>(_ value: T?, _ name: String) throws(Fault) -> T {
        guard let value else { throw Fault(field: name, "\(name) is missing") }
        return value
    }

    private static func time(_ value: Any?) throws(Fault) -> Timestamp? {
        switch value {
        case nil, is NSNull: return nil
        case let text as String:
            if let time = Timestamp(text: text) { return time }
        case let number as NSNumber:
            if let milliseconds = UInt64(exactly: number) { return Timestamp(milliseconds: milliseconds) }
        default: break
        }
        throw Fault(field: "seen_at", "seen_at is neither a time nor milliseconds")
    }
}

/// Reads a file line by line, in pieces; `-` is standard input.
struct LineReader {
    /// The longest line, in bytes; a longer one is cut and will not be JSON.
    private static let lineByteLimit = 1 << 16

    private let file: FileHandle
    private var buffer: [UInt8] = []
    private var position = 0
    private var isAtEnd = false
    /// The number of the line read last, from 1.
    private(set) var number = 0
    /// Whether reading has failed before the end.
    private(set) var hasFailed = false

    init?(path: String) {
        guard path != "-" else {
            file = .standardInput
            return
        }
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        self.file = file
    }

    /// The next line without its end, or nothing after the last.
    mutating func next() -> [UInt8]? {
        var line: [UInt8] = []
        while true {
            if let end = buffer[position...].firstIndex(of: 0x0A) {
                line += buffer[position..<end].prefix(Self.lineByteLimit - line.count)
                position = end + 1
                number += 1
                return line
            }
            line += buffer[position...].prefix(Self.lineByteLimit - line.count)
            buffer = []
            position = 0
            guard readMore() else { break }
        }
        guard !line.isEmpty else { return nil }
        number += 1
        return line
    }

    private mutating func readMore() -> Bool {
        guard !isAtEnd else { return false }
        do {
            buffer = try file.read(upToCount: 1 << 20).map { Array($0) } ?? []
        } catch {
            hasFailed = true
        }
        isAtEnd = buffer.isEmpty
        return !isAtEnd
    }
}

/// Counts what became of the lines of a file, and tells of those that were refused.
struct RegistrationTally {
    let isJSON: Bool
    private(set) var refused = 0
    private var results: [RegistrationResult: Int] = [:]
    private var isFinished = false

    init(isJSON: Bool) {
        self.isJSON = isJSON
    }

    private var registered: Int { results.values.reduce(0, +) }

    mutating func take(line: Int, _ device: RegisteredDevice) {
        results[device.result, default: 0] += 1
        guard isJSON else { return }
        let row = JSON.members([
            "line": .number(UInt64(line)), "device_id": .number(device.id.rawValue),
            "result": .text("\(device.result)"),
        ])
        Terminal.say(row.line)
    }

    mutating func refuse(line: Int, _ fault: RegistrationLine.Fault) {
        refused += 1
        if isJSON {
            let error = JSON.members([
                "code": .text(fault.code), "field": fault.field.map { .text($0) }, "message": .text(fault.message),
            ])
            return Terminal.say(JSON.members(["line": .number(UInt64(line)), "error": error]).line)
        }
        Terminal.complain("line \(line): \(fault.message) [\(fault.code)]")
    }

    func showProgress() {
        Terminal.progress("\(registered) registered, \(refused) refused")
    }

    mutating func finish(wasCutShort: Bool) {
        guard !isFinished else { return }
        isFinished = true
        Terminal.progress("")
        guard !isJSON else { return }
        let parts = [RegistrationResult.created, .refreshed, .replaced].compactMap { result in
            results[result].map { "\($0) \(result)" }
        }
        let detail = parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
        Terminal.say("registered \(registered)\(detail), refused \(refused)\(wasCutShort ? "; not finished" : "")")
    }
}
