import ArgumentParser

struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Shows and changes the record of a device.",
        discussion: """
            Examples:
              carillon device show --app com.example.game --device 17
              carillon device update --app com.example.game --device 17 --locale zh-Hant
              carillon device quarantined --app com.example.game
            """,
        subcommands: [
            DeviceShowCommand.self, DeviceListCommand.self, DeviceUpdateCommand.self, DeviceMembershipsCommand.self,
            QuarantinedCommand.self, RestoreDeviceCommand.self,
        ]
    )
}
