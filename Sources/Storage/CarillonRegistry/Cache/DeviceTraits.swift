import CarillonCore
import CarillonLMDB

/// The parts of a device record from which its derived sets follow.
struct DeviceTraits: Hashable {
    private let app: AppNumber
    private let environment: APNsEnvironment
    private let kind: TokenKind
    private let locale: String?
    private let attributes: Attributes

    init(_ device: DeviceRecord, app: AppNumber) {
        self.app = app
        environment = device.address.environment
        kind = device.address.kind
        locale = device.locale
        attributes = device.attributes
    }
}
