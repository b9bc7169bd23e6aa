import CarillonClient
import CarillonCommandLine
import CarillonCore

/// The results of the lines of one piece of a file.
struct ImportBatch {
    /// A line that was refused.
    struct Refusal {
        var line: Int
        var fault: RegistrationLine.ParseError
        /// The line itself, without its line break.
        var bytes: [UInt8]
    }

    /// The refused lines, ascending.
    var refusals: [Refusal] = []
    /// The number of registrations by result.
    var results: [String: Int] = [:]
    /// The number of lines, empty ones included.
    var lineCount: Int
    /// The offset of the end of the piece in the file.
    var endOffset: UInt64

    /// The maximum number of attempts for a line that the server asks to send again later.
    private static let maximumAttempts = 10

    /// Parses the lines and registers them.
    ///
    /// - Throws: an error that concerns the whole import, such as no connection, a full disk or a missing role. The
    ///   lines may be sent again.
    @concurrent
    static func register(
        _ piece: LineReader.Piece,
        lineFormat: LineFormat,
        template: RegistrationLine.Template,
        with client: CarillonClient
    ) async throws(CarillonError) -> ImportBatch {
        var batch = ImportBatch(lineCount: piece.lineCount, endOffset: piece.endOffset)
        var waiting = batch.read(piece, lineFormat: lineFormat, template: template)
        var attempts = 0
        while !waiting.isEmpty {
            let results = await client.register(waiting.map(\.registration))
            waiting = try batch.apply(
                results, to: waiting, of: piece, isLastAttempt: attempts + 1 == Self.maximumAttempts)
            attempts += 1
            guard !waiting.isEmpty else { break }
            do {
                try await Task.sleep(for: .milliseconds(250) * attempts)
            } catch {
                throw CarillonError(.cancelled, retryAfter: .zero, message: "the import was stopped")
            }
        }
        batch.refusals.sort { $0.line < $1.line }
        return batch
    }

    /// A line with a registration.
    private struct ParsedLine {
        /// The number of the line in the file, from 1.
        var number: Int
        /// The place of the line in the piece, without its line break.
        var bytes: Range<Int>
        var registration: Registration
    }

    private mutating func read(
        _ piece: LineReader.Piece,
        lineFormat: LineFormat,
        template: RegistrationLine.Template
    ) -> [ParsedLine] {
        var lines: [ParsedLine] = []
        lines.reserveCapacity(piece.lineCount)
        var start = 0
        for number in piece.firstLine..<piece.firstLine + piece.lineCount {
            let end = piece.bytes[start...].firstIndex(of: 0x0A) ?? piece.bytes.count
            var line = piece.bytes[start..<end]
            start = min(end + 1, piece.bytes.count)
            if line.last == 0x0D { line.removeLast() }
            guard !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else { continue }
            do throws(RegistrationLine.ParseError) {
                let registration = try RegistrationLine.registration(
                    of: lineFormat.members(of: line), template: template)
                lines.append(ParsedLine(number: number, bytes: line.indices, registration: registration))
            } catch {
                refusals.append(Refusal(line: number, fault: error, bytes: Array(line)))
            }
        }
        return lines
    }

    /// Counts the answers; returns the lines to send again.
    private mutating func apply(
        _ answers: [Result<RegisterResult, CarillonError>],
        to lines: [ParsedLine],
        of piece: LineReader.Piece,
        isLastAttempt: Bool
    ) throws(CarillonError) -> [ParsedLine] {
        var again: [ParsedLine] = []
        for (line, answer) in zip(lines, answers) {
            switch answer {
            case .success(let device): results["\(device.result)", default: 0] += 1
            case .failure(let error):
                guard ExitStatus(error) == .refused, error.retryAfter == nil || !isLastAttempt else { throw error }
                if error.retryAfter == nil {
                    refuse(line, of: piece, with: error)
                } else {
                    again.append(line)
                }
            }
        }
        // A missing role or an app that is not configured would fail every further line as well.
        if let error = Self.commonError(of: answers), [.server(.forbidden), .server(.notFound)].contains(error.code) {
            throw error
        }
        return again
    }

    private mutating func refuse(_ line: ParsedLine, of piece: LineReader.Piece, with error: CarillonError) {
        let fault = RegistrationLine.ParseError(error)
        refusals.append(Refusal(line: line.number, fault: fault, bytes: Array(piece.bytes[line.bytes])))
    }

    /// Returns the last error if all lines have failed with the same code.
    private static func commonError(of answers: [Result<RegisterResult, CarillonError>]) -> CarillonError? {
        var common: CarillonError?
        for answer in answers {
            guard case .failure(let error) = answer, common == nil || common?.code == error.code else { return nil }
            common = error
        }
        return common
    }
}
