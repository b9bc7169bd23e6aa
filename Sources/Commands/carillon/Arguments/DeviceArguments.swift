import ArgumentParser
import CarillonArguments
import CarillonCommandLine
import CarillonCore

/// The arguments for one device, by token or by id.
struct DeviceArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("The device id; the same as --device.", valueName: "id"))
    var id: DeviceID?

    @OptionGroup var app: AppOption

    @Option(help: ArgumentHelp("The token, in hexadecimal.", valueName: "hex"))
    var token: DeviceToken?

    @Option(help: FirebaseToken.help)
    var fcm: FirebaseToken?

    @Option(help: ArgumentHelp("The device id.", valueName: "id"))
    var device: DeviceID?

    @Option(help: "The environment of the token. Default: production.")
    var environment: APNsEnvironment?

    @Option(help: "The kind of the token. Default: device.")
    var kind: TokenKind?

    func validate() throws {
        guard [token != nil, fcm != nil, device != nil, id != nil].filter({ $0 }).count == 1 else {
            throw ValidationError("Give the device by its id, by --device, --token or --fcm, one of the four.")
        }
        if fcm != nil { try FirebaseToken.validate(environment: environment, kind: kind) }
    }

    /// The device that is given; nil if no device is given.
    var reference: DeviceReference? {
        if let device = device ?? id { return .id(device) }
        if let fcm { return .address(fcm.address) }
        return token.map { token in
            .address(DeviceAddress(environment: environment ?? .production, kind: kind ?? .device, token: token))
        }
    }
}

extension DeviceAddress {
    /// The warning that the token is shorter than any that Apple has issued; nil if it is not.
    var lengthWarning: String? {
        let count = token.bytes.count
        guard kind.provider == .apns, count < 32 else { return nil }
        return
            "the token has \(count) \(count == 1 ? "byte" : "bytes"); those of Apple's devices have at least 32 so far"
    }
}

/// FCM's name for an app on an Android device: a registration token, or a Firebase installation id.
struct FirebaseToken: ExplainedArgument, Equatable {
    let address: DeviceAddress

    static let help = ArgumentHelp("The token of FCM, or the Firebase installation id: Android.", valueName: "text")
    /// The help of an option for several tokens.
    static let repeatedHelp = ArgumentHelp(
        "A token of FCM, or a Firebase installation id; may be repeated.", valueName: "text")

    /// A text of the form of an installation id is one: tokens are longer.
    init?(argument: String) {
        for kind in [TokenKind.fid, .fcm] {
            guard let token = DeviceToken(argument, of: kind) else { continue }
            address = DeviceAddress(environment: .production, kind: kind, token: token)
            return
        }
        return nil
    }

    static func fault(of argument: String) -> String {
        "a token of FCM has 1 to \(DeviceToken.maximumBytes) letters, digits and -_:.%~"
    }

    /// Checks that the options for tokens of APNs are not given.
    static func validate(environment: APNsEnvironment?, kind: TokenKind?) throws {
        guard environment == nil, kind == nil else {
            throw ValidationError("--environment and --kind are for tokens of APNs, and not for --fcm.")
        }
    }
}
