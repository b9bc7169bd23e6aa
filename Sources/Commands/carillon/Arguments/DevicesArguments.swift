import ArgumentParser
import CarillonArguments
import CarillonCore

/// The arguments for several devices, by tokens or by ids.
struct DevicesArguments: ParsableArguments {
    @Option(help: ArgumentHelp("A token, in hexadecimal; may be repeated.", valueName: "hex"))
    var token: [DeviceToken] = []

    @Option(help: FirebaseToken.repeatedHelp)
    var fcm: [FirebaseToken] = []

    @Option(help: ArgumentHelp("A device id; may be repeated.", valueName: "id"))
    var device: [DeviceID] = []

    @Option(help: "The environment of the tokens. Default: production.")
    var environment: APNsEnvironment?

    @Option(help: "The kind of the tokens. Default: device.")
    var kind: TokenKind?

    var isEmpty: Bool { token.isEmpty && fcm.isEmpty && device.isEmpty }

    /// Returns the devices; tokens are of the kind `defaultKind` unless `--kind` is given.
    func references(_ defaultKind: TokenKind = .device) -> [DeviceReference] {
        token.map { token in
            .address(DeviceAddress(environment: environment ?? .production, kind: kind ?? defaultKind, token: token))
        } + fcm.map { .address($0.address) } + device.map { .id($0) }
    }
}
