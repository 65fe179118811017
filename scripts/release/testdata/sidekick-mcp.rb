class SidekickMcp < Formula
  desc "Lets AI agents use your own Chrome, each in a tab group of its own"
  homepage "https://github.com/frogbotai/sidekick-mcp"
  version "1.2.3"

  on_macos do
    on_arm do
      url "https://github.com/frogbotai/sidekick-mcp/releases/download/v1.2.3/sidekick-mcp_1.2.3_darwin_arm64.tar.gz"
      sha256 "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"
    end
    on_intel do
      url "https://github.com/frogbotai/sidekick-mcp/releases/download/v1.2.3/sidekick-mcp_1.2.3_darwin_amd64.tar.gz"
      sha256 "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/frogbotai/sidekick-mcp/releases/download/v1.2.3/sidekick-mcp_1.2.3_linux_arm64.tar.gz"
      sha256 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
    end
    on_intel do
      url "https://github.com/frogbotai/sidekick-mcp/releases/download/v1.2.3/sidekick-mcp_1.2.3_linux_amd64.tar.gz"
      sha256 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    end
  end

  def install
    bin.install "sidekick-mcp"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/sidekick-mcp version")
  end
end
