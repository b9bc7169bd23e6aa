import CarillonAPNs
import CarillonCore
import CarillonTLS

/// The topics of APNs and the environments that a certificate may push to, by its extensions from Apple.
struct CertificateScope: Hashable, Sendable {
    /// The topics of APNs that the certificate names. Empty if it names none: then only APNs knows them.
    let apnsTopics: Set<String>
    private let isForSandbox: Bool
    private let isForProduction: Bool

    /// The prefix of the topics of MDM certificates; they name no app.
    private static let managementPrefix = "com.apple.mgmt."

    init(_ certificate: Certificate) {
        let names = certificate.pushScope.apnsTopics
        apnsTopics = Set(names.isEmpty ? certificate.userID.map { [$0] } ?? [] : names)
        isForSandbox = certificate.pushScope.isForSandbox
        isForProduction = certificate.pushScope.isForProduction
    }

    /// The topic of `mdm` pushes; nil if the certificate is not for these.
    var managementTopic: String? { apnsTopics.sorted().first { $0.hasPrefix(Self.managementPrefix) } }

    /// Returns the reason why the certificate cannot serve an app in an environment; nil if it can.
    func fault(for app: String, in environment: APNsEnvironment) -> String? {
        let isForThis = environment == .production ? isForProduction : isForSandbox
        if isForSandbox || isForProduction, !isForThis {
            return "the certificate is not for \(environment.name)"
        }
        let isOfApp = { (topic: String) in
            topic == app || topic.hasPrefix(app + ".") || topic.hasPrefix(Self.managementPrefix)
        }
        guard apnsTopics.isEmpty || apnsTopics.contains(where: isOfApp) else {
            return "the certificate is for \(apnsTopics.sorted().joined(separator: ", "))"
        }
        return nil
    }

    /// Returns true if the certificate may push that type to the app.
    func supports(_ type: PushType, for app: AppID, managementTopic: String?) -> Bool {
        guard !type.needsProviderToken else { return false }
        let content = MessageContent(app: app, pushType: type, payload: [])
        return apnsTopics.isEmpty
            || apnsTopics.contains(PushRequest.topic(of: content, managementTopic: managementTopic))
    }
}
