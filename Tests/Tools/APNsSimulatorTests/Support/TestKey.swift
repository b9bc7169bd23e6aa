/// A key made for these tests and used nowhere else.
enum TestKey {
    static let pem = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQghkJjmc+CP0saZ37S
        WnEYbaR5HUt7TnpanrHiAJckCGmhRANCAASzSncr0aj8SoyOq6MkGIAT/Si29rpn
        wSpO6XFR+2jawMqo8virC9w5Ga1Sxn6+jbIoCPUS9hLBQ5ccv9HwjlAU
        -----END PRIVATE KEY-----
        """
}
