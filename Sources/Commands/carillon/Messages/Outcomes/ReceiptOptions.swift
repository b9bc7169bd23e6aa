import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore
import Foundation

/// The options for receipts: the message and the devices.
struct ReceiptOptions: ParsableArguments {
    /// The number of receipts in one request.
    private static let batchLineCount = 1_000

    @OptionGroup var message: MessageArguments
    @OptionGroup var devices: DevicesArguments

    @Option(
        help: ArgumentHelp("A file with one device id a line; - is standard input.", valueName: "file"),
        completion: .file())
    var file: String?

    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        guard devices.isEmpty != (file == nil) else {
            throw ValidationError("The devices are missing: give either --device and --token, or --file.")
        }
    }

    /// Reports the receipts and shows the number of new ones.
    func report(_ kind: ReceiptKind) async throws {
        let (counted, unknown) = try await server.run(for: message.app) { client, app in
            var counted = 0
            var unknown = 0
            func report(_ references: [DeviceReference]) async throws {
                let receipts = references.map { Receipt(message: message.id, device: $0, kind: kind) }
                let result = try await client.reportReceipts(receipts, app: app)
                counted += result.counted
                unknown += result.unknown.count
            }
            if let file {
                var reader = try LineReader(path: file)
                while let piece = try reader.next(Self.batchLineCount) {
                    let references = try Self.devices(of: piece)
                    if !references.isEmpty { try await report(references) }
                }
            } else {
                try await report(devices.references())
            }
            return (counted, unknown)
        }
        if server.json {
            StandardOutput.printLine(
                JSON.members(["counted": .number(UInt64(counted)), "unknown": .number(UInt64(unknown))]).line)
        } else {
            StandardOutput.printLine("counted \(counted.grouped)")
            if unknown > 0 {
                StandardError.printLine("carillon: \(unknown.grouped) are not devices of message \(message.id)")
            }
        }
        if unknown > 0 { throw ExitStatus.refused }
    }

    /// Returns the devices of some lines; empty lines are skipped.
    static func devices(of piece: LineReader.Piece) throws -> [DeviceReference] {
        let lines = piece.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        return try lines.enumerated().compactMap { index, line in
            let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            if text.isEmpty { return nil }
            guard let id = DeviceID(argument: text) else {
                throw ValidationError("Line \(piece.firstLine + index) is not a device id: '\(text.prefix(40))'.")
            }
            return .id(id)
        }
    }
}
