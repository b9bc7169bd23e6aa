import CarillonServer
import Testing

@testable import carillond

/// The environment variables that are no setting.
struct SettingVariablesTests {
    @Test func `a variable that is nearly a setting is refused`() throws {
        let error = #expect(throws: SettingsError.self) {
            try SettingVariables.unknown(in: ["CARILLON_LISTEN_PROT"])
        }
        #expect(error?.description == "CARILLON_LISTEN_PROT: is not a setting. Did you mean CARILLON_LISTEN_PORT?")
    }

    @Test func `only variables that are no setting are returned`() throws {
        let ofKubernetes = ["CARILLON_PORT", "CARILLON_SERVICE_HOST"]
        let ofTests = ["CARILLON_PROGRAMS"]
        let others = [
            "CARILLON_SERVER", "CARILLON_APP", "CARILLON_CONFIG", "CARILLON_LISTEN_PORT_FILE",
            "CARILLON_CLIENT_THREADS", "CARILLON_SECURITY", "CARILLON_CERTIFICATE_FILE", "PATH",
        ]
        let unknown = try SettingVariables.unknown(in: ofKubernetes + others + ofTests)
        #expect(unknown == ["CARILLON_PORT", "CARILLON_PROGRAMS", "CARILLON_SERVICE_HOST"])
    }
}
