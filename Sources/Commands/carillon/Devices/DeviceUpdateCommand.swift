import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct DeviceUpdateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Changes fields of a device, or mutes it; other fields stay as they are.",
        discussion: """
            Examples:
              carillon device update --app com.example.game --device 17 --locale zh-Hant
              carillon device update --app com.example.game --device 17 \\
                --attribute platform=ios --attribute tier=gold
              carillon device update --app com.example.game --device 17 --mute
            """
    )

    @OptionGroup var device: DeviceArguments

    @Option(help: ArgumentHelp("A language tag; empty removes it.", valueName: "tag"))
    var locale: String?

    @Option(help: ArgumentHelp("A time zone, such as Europe/Berlin; empty removes it.", valueName: "zone"))
    var timeZone: String?

    @Option(help: ArgumentHelp("An attribute; an empty value removes it; may be repeated.", valueName: "key=value"))
    var attribute: [AttributeChange] = []

    @Flag(help: "Mutes the device: it gets no pushes.")
    var mute = false

    @Flag(help: "Unmutes the device: it gets pushes again.")
    var unmute = false

    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        guard !(mute && unmute) else { throw ValidationError("--mute and --unmute exclude each other.") }
        guard update != DeviceUpdate() else {
            throw ValidationError("Nothing to change: give --locale, --time-zone, --attribute, --mute or --unmute.")
        }
    }

    private var update: DeviceUpdate {
        DeviceUpdate(
            locale: locale,
            timeZone: timeZone,
            attributes: attribute,
            isMuted: mute ? true : unmute ? false : nil
        )
    }

    func run() async throws {
        guard let reference = device.reference else { return }
        try await server.run(for: device.app) { client, app in
            let id = try await client.update(reference, app: app, with: update)
            StandardOutput.printLine(
                server.json ? JSON.members(["device_id": .number(id.rawValue)]).line : "device \(id)  updated")
        }
    }
}
