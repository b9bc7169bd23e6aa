import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore
import Foundation

struct ReceiptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipt",
        abstract: "Tells the server which pushes have arrived or were opened.",
        discussion: """
            Examples:
              carillon receipt received 42 --app com.example.game --device 17
              carillon receipt opened 42 --app com.example.game --file devices.txt
            """,
        subcommands: [ReceivedCommand.self, OpenedCommand.self]
    )
}

struct ReceivedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "received",
        abstract: "Tells that devices have got a message.",
        discussion: """
            Examples:
              carillon receipt received 42 --app com.example.game --device 17
              carillon receipt received 42 --app com.example.game --file devices.txt

            A file has one device id a line; - is standard input. A device counts once.
            """
    )

    @OptionGroup var options: ReceiptOptions

    func run() async throws { try await options.report(.received) }
}

struct OpenedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "opened",
        abstract: "Tells that a message was opened on devices.",
        discussion: """
            Examples:
              carillon receipt opened 42 --app com.example.game --device 17 --device 18
              carillon receipt opened 42 --app com.example.game --file -

            A file has one device id a line; - is standard input. A device counts once.
            """
    )

    @OptionGroup var options: ReceiptOptions

    func run() async throws { try await options.report(.opened) }
}

/// Whose receipts of which message.
struct ReceiptOptions: ParsableArguments {
    /// Receipts told at a time.
    private static let batch = 1_000

    @OptionGroup var message: MessageArguments
    @OptionGroup var devices: DevicesArguments

    @Option(
        help: ArgumentHelp("A file with one device id a line; - is standard input.", valueName: "file"),
        completion: .file())
    var file: String?

    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        guard devices.isEmpty != (file == nil) else {
            throw ValidationError("Whose receipts? --device or --token, or --file: one of them.")
        }
    }

    /// Tells the receipts and shows how many were new.
    func report(_ kind: ReceiptKind) async throws {
        let (counted, unknown) = try await server.run { client in
            var (counted, unknown) = (0, 0)
            func report(_ references: [DeviceReference]) async throws {
                let receipts = references.map { Receipt(message: message.id, device: $0, kind: kind) }
                let result = try await client.report(receipts, app: message.app)
                counted += result.counted
                unknown += result.unknown.count
            }
            if let file {
                guard var reader = LineReader(path: file) else {
                    throw ValidationError("The file \(file) cannot be read.")
                }
                while let piece = try reader.next(Self.batch) {
                    let references = try Self.devices(of: piece)
                    if !references.isEmpty { try await report(references) }
                }
            } else {
                try await report(devices.references())
            }
            return (counted, unknown)
        }
        if server.json {
            Terminal.say(
                JSON.members(["counted": .number(UInt64(counted)), "unknown": .number(UInt64(unknown))]).line)
        } else {
            Terminal.say("counted \(counted)")
            if unknown > 0 { Terminal.complain("carillon: \(unknown) are no devices of message \(message.id)") }
        }
        if unknown > 0 { throw ExitStatus.refused }
    }

    /// The devices of some lines; empty lines are skipped.
    static func devices(of piece: LineReader.Piece) throws -> [DeviceReference] {
        let lines = piece.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        return try lines.enumerated().compactMap { index, line in
            let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            if text.isEmpty { return nil }
            guard let id = DeviceID(argument: text) else {
                throw ValidationError("Line \(piece.firstLine + index) is no device id: '\(text.prefix(40))'.")
            }
            return .id(id)
        }
    }
}

struct MessageReceiptsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipts",
        abstract: "Lists the devices that have got a message, or on which it was opened.",
        discussion: """
            Examples:
              carillon message receipts 42 --app com.example.game
              carillon message receipts 42 --app com.example.game --opened --limit 10
            """
    )

    @OptionGroup var message: MessageArguments

    @Flag(help: "Devices on which it was opened, instead of those that have got it.")
    var opened = false

    @OptionGroup var rows: RowOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run { client in
            let listing = client.devices(
                withReceipt: opened ? .opened : .received, of: message.id, app: message.app)
            try await rows.show(listing, isJSON: server.json)
        }
    }
}
