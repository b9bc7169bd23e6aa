import ArgumentParser
import CarillonCommandLine
import CarillonCore

/// The arguments for one device, by token or by id.
struct DeviceArguments: ParsableArguments {
    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app: AppID

    @Option(help: ArgumentHelp("The token, in hexadecimal.", valueName: "hex"))
    var token: DeviceToken?

    @Option(help: ArgumentHelp("The device id.", valueName: "id"))
    var device: DeviceID?

    @Option(help: "The environment of the token. Default: production.")
    var environment: Environment?

    @Option(help: "The kind of the token. Default: device.")
    var kind: TokenKind?

    func validate() throws {
        guard (token == nil) != (device == nil) else {
            throw ValidationError("Give the device by --token or by --device, one of the two.")
        }
    }

    /// The device.
    var reference: DeviceReference? {
        if let device { return .id(device) }
        return token.map { token in
            .address(DeviceAddress(environment: environment ?? .production, kind: kind ?? .device, token: token))
        }
    }
}
