import CarillonClient
import CarillonCommandLine
import CarillonCore

/// What became of the lines of one piece of a file.
struct ImportBatch {
    /// Ascending by line.
    var refusals: [(line: Int, fault: RegistrationLine.Fault)] = []
    /// Registrations by what they did.
    var results: [String: Int] = [:]
    /// Lines, empty ones included.
    var lines: Int
    /// Bytes of the file up to its end.
    var end: UInt64

    /// Tries of a line that the server asks to send again later.
    private static let tries = 10

    /// Reads the lines and registers them.
    ///
    /// - Throws: What befalls not a line but the import: no connection, no room, no leave. The lines may be sent again.
    @concurrent
    static func register(
        _ piece: LineReader.Piece,
        _ form: LineForm,
        _ template: RegistrationLine.Template,
        with client: CarillonClient
    ) async throws(CarillonError) -> ImportBatch {
        var batch = ImportBatch(lines: piece.count, end: piece.end)
        var waiting = batch.read(piece, form, template)
        var tries = 0
        while !waiting.isEmpty {
            let results = await client.register(waiting.map(\.registration))
            waiting = try batch.take(results, of: waiting, isLastTry: tries + 1 == Self.tries)
            tries += 1
            guard !waiting.isEmpty else { break }
            do {
                try await Task.sleep(for: .milliseconds(250) * tries)
            } catch {
                throw CarillonError(.cancelled, retryAfter: .zero, message: "the import was stopped")
            }
        }
        batch.refusals.sort { $0.line < $1.line }
        return batch
    }

    private typealias Item = (line: Int, registration: Registration)

    private mutating func read(
        _ piece: LineReader.Piece,
        _ form: LineForm,
        _ template: RegistrationLine.Template
    ) -> [Item] {
        var items: [Item] = []
        items.reserveCapacity(piece.count)
        var start = 0
        for number in piece.firstLine..<piece.firstLine + piece.count {
            let end = piece.bytes[start...].firstIndex(of: 0x0A) ?? piece.bytes.count
            var line = piece.bytes[start..<end]
            start = min(end + 1, piece.bytes.count)
            if line.last == 0x0D { line.removeLast() }
            guard !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else { continue }
            do throws(RegistrationLine.Fault) {
                items.append((number, try RegistrationLine.registration(of: form.members(of: line), template)))
            } catch {
                refusals.append((number, error))
            }
        }
        return items
    }

    /// Takes note of the answers; gives back what is to be sent again.
    private mutating func take(
        _ answers: [Result<RegisteredDevice, CarillonError>],
        of items: [Item],
        isLastTry: Bool
    ) throws(CarillonError) -> [Item] {
        var again: [Item] = []
        var commonCause: CarillonError?
        var isCommon = true
        for (item, answer) in zip(items, answers) {
            switch answer {
            case .success(let device):
                isCommon = false
                results["\(device.result)", default: 0] += 1
            case .failure(let error):
                guard ExitStatus(error) == .refused, error.retryAfter == nil || !isLastTry else { throw error }
                if commonCause.map({ $0.code != error.code }) ?? false { isCommon = false }
                commonCause = error
                if error.retryAfter == nil {
                    refusals.append((item.line, RegistrationLine.Fault(error)))
                } else {
                    again.append(item)
                }
            }
        }
        // Who may not register, or names an app that is not served, will be told so for every line to come.
        if isCommon, let commonCause, [.server(.forbidden), .server(.notFound)].contains(commonCause.code) {
            throw commonCause
        }
        return again
    }
}
