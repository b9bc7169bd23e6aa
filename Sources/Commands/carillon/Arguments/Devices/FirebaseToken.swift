import ArgumentParser
import CarillonArguments
import CarillonCommandLine
import CarillonCore

/// The text by which FCM knows an app on an Android device: a registration token, or a Firebase installation id.
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
