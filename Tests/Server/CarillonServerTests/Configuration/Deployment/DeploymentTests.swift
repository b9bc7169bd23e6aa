import Testing

@testable import CarillonServer

/// The files of a deployment, read and checked together.
struct DeploymentTests {
    private let files: DeploymentFiles

    init() throws { files = try DeploymentFiles() }

    @Test func theProblemsOfAllFilesAreFound() throws {
        try files.write("apps.json", "not JSON")
        try files.write("principals.json", "not JSON")
        var problems: [SettingsError] = []
        let deployment = Deployment(try files.settings(), problems: &problems)
        #expect(deployment == nil)
        #expect(problems.map(\.place) == [files.path("apps.json"), files.path("principals.json")])
    }
}
