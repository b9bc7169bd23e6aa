import CarillonServer
import Testing

@testable import carillond

/// The environment variables that are no setting.
struct SettingVariablesTests {
    @Test func aVariableThatIsNearlyASettingIsRefused() throws {
        let error = #expect(throws: SettingsError.self) {
            try SettingVariables.unknown(in: ["CARILLON_LISTEN_PROT"])
        }
        #expect(error?.description == "CARILLON_LISTEN_PROT: is not a setting. Did you mean CARILLON_LISTEN_PORT?")
        // Of Kubernetes, of the tools, of a test run; the others are settings.
        let names = [
            "CARILLON_PORT", "CARILLON_SERVICE_HOST", "CARILLON_SERVER", "CARILLON_APP", "CARILLON_CONFIG",
            "CARILLON_LISTEN_PORT_FILE", "CARILLON_CLIENT_THREADS", "PATH", "CARILLON_PROGRAMS",
        ]
        #expect(
            try SettingVariables.unknown(in: names) == [
                "CARILLON_PORT", "CARILLON_PROGRAMS", "CARILLON_SERVICE_HOST",
            ])
    }
}
