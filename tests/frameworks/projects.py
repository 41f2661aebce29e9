"""Small applications, one for each framework, and the routes that they have."""

from __future__ import annotations

from collections.abc import Mapping

Files = Mapping[str, str]
Expected = Mapping[str, str]  # "POST /users" → handler and place, as the answer says them

FLASK: tuple[Files, Expected] = (
    {
        "shop/__init__.py": (
            "from flask import Flask\n\nfrom shop.users import bp\n\n\n"
            "def create_app():\n    app = Flask(__name__)\n"
            '    app.register_blueprint(bp, url_prefix="/api/users")\n\n'
            '    @app.route("/ping")\n    def ping():\n        return "pong"\n\n    return app\n'
        ),
        "shop/users.py": (
            'from flask import Blueprint, current_app\n\nbp = Blueprint("users", __name__, url_prefix="/old")\n\n\n'
            '@bp.post("/")\n@bp.route("/new", methods=["GET", "POST"])\ndef create_user():\n'
            '    return current_app.cache.get("/api/users/cached", 1)\n\n\n'
            '# @bp.get("/gone")\n@bp.get("/<int:user_id>")\ndef show_user(user_id):\n    return helper(user_id)\n\n\n'
            "def helper(user_id):\n    return user_id\n"
        ),
    },
    {
        "GET /ping": "create_app.ping shop/__init__.py:11",
        "POST /api/users/": "create_user shop/users.py:8",
        "GET,POST /api/users/new": "create_user shop/users.py:8",
        "GET /api/users/<int:user_id>": "show_user shop/users.py:14",
    },
)

FASTAPI: tuple[Files, Expected] = (
    {
        "app/main.py": (
            "from fastapi import FastAPI\n\nfrom app.api import router as api\n\n"
            'app = FastAPI()\napp.include_router(api, prefix="/api")\n\n\n'
            '@app.get("/health")\nasync def health():\n    return {}\n'
        ),
        "app/api/__init__.py": (
            "from fastapi import APIRouter\n\nfrom app.api import users\n\n"
            "router = APIRouter()\nrouter.include_router(users.router)\n"
        ),
        "app/api/users.py": (
            'from fastapi import APIRouter, Depends\n\nrouter = APIRouter(prefix="/users")\n\n\n'
            '@router.post(\n    "",\n    status_code=201,\n)\n'
            "async def create_user(name: str):\n    return save(name)\n\n\n"
            '@router.api_route("/{user_id}", methods=["PUT", "PATCH"])\nasync def change_user(user_id: int):\n'
            "    return user_id\n\n\ndef save(name):\n    return name\n"
        ),
    },
    {
        "GET /health": "health app/main.py:10",
        "POST /api/users": "create_user app/api/users.py:10",
        "PUT,PATCH /api/users/{user_id}": "change_user app/api/users.py:15",
    },
)

DJANGO: tuple[Files, Expected] = (
    {
        "site/urls.py": (
            "from django.contrib import admin\nfrom django.urls import include, path\n\n"
            'urlpatterns = [\n    path("admin/", admin.site.urls),\n    path("blog/", include("blog.urls")),\n'
            '    path("extra/", include([path("one/", one)])),\n]\n'
        ),
        "blog/__init__.py": "",
        "blog/urls.py": (
            "from django.urls import path, re_path\n\nfrom blog import views\n\n"
            'urlpatterns = [\n    path("", views.index),\n'
            '    path("<int:pk>/", views.PostView.as_view(), name="post"),\n'
            '    re_path(r"^archive/(?P<year>[0-9]{4})/$", views.archive),\n]\n'
        ),
        "blog/views.py": (
            "def index(request):\n    return 1\n\n\ndef archive(request, year):\n    return 2\n\n\n"
            "class PostView:\n    def get(self, request, pk):\n        return 3\n"
        ),
    },
    {
        "ANY /blog/": "index blog/views.py:1",
        "ANY /blog/<int:pk>/": "PostView blog/views.py:9",
        "ANY /blog/archive/{year}/": "archive blog/views.py:5",
    },
)

EXPRESS: tuple[Files, Expected] = (
    {
        "server.js": (
            "const express = require('express');\nconst users = require('./routes/users');\n\n"
            "const app = express();\nconst cache = new Map();\n"
            "app.get('view engine');\ncache.get('/cached', 1);\n"
            "app.use('/api/users', auth, users);\n"
            "app.get('/ping', (req, res) => {\n  res.send(pong());\n});\n"
            "function auth(req, res, next) {\n  next();\n}\nfunction pong() {\n  return 'pong';\n}\n"
        ),
        "routes/users.js": (
            "const { Router } = require('express');\nconst users = require('../controllers/users');\n\n"
            "const router = Router();\n\n"
            "router.route('/')\n  .get(users.list)\n  .post(check, users.create);\n"
            "router.delete('/:id', users.remove);\n"
            "function check(req, res, next) {\n  next();\n}\n\nmodule.exports = router;\n"
        ),
        "controllers/users.js": (
            "function list(req, res) {\n  res.send([]);\n}\n\nfunction create(req, res) {\n  res.send(1);\n}\n\n"
            "function remove(req, res) {\n  res.send(2);\n}\n\nmodule.exports = { list, create, remove };\n"
        ),
    },
    {
        "GET /api/users/": "list controllers/users.js:1",
        "POST /api/users/": "create controllers/users.js:5",
        "DELETE /api/users/:id": "remove controllers/users.js:9",
        "GET /ping": "(inline) server.js:9",
    },
)

NEST: tuple[Files, Expected] = (
    {
        "src/cats.controller.ts": (
            "import { Controller, Get, Post, Param } from '@nestjs/common';\n\n"
            "@Controller('cats')\nexport class CatsController {\n"
            "  constructor(private readonly cats: CatsService) {}\n\n"
            "  @Post()\n  @Roles('admin')\n  async create(@Body() dto: CreateCat) {\n"
            "    return this.cats.create(dto);\n  }\n\n"
            "  @Get(':id')\n  findOne(@Param('id') id: string) {\n    return id;\n  }\n}\n"
        ),
    },
    {
        "POST /cats": "CatsController.create src/cats.controller.ts:9",
        "GET /cats/:id": "CatsController.findOne src/cats.controller.ts:14",
    },
)

SPRING: tuple[Files, Expected] = (
    {
        "src/main/java/shop/UserController.java": (
            "package shop;\n\nimport org.springframework.web.bind.annotation.*;\n\n"
            '@RestController\n@RequestMapping("/api/users")\npublic class UserController {\n\n'
            "  @PostMapping\n  public User create(@RequestBody User user) {\n    return user;\n  }\n\n"
            '  @GetMapping(value = "/{id}", produces = "application/json")\n'
            "  public User show(@PathVariable long id) {\n    return null;\n  }\n\n"
            '  @RequestMapping(path = {"/a", "/b"}, method = {RequestMethod.PUT, RequestMethod.PATCH})\n'
            "  public void change() {\n  }\n}\n"
        ),
        "src/main/java/shop/Remote.java": (
            "package shop;\n\nimport org.springframework.cloud.openfeign.FeignClient;\n\n"
            '@FeignClient("other")\npublic interface Remote {\n  @GetMapping("/elsewhere")\n  User fetch();\n}\n'
        ),
    },
    {
        "POST /api/users": "UserController.create src/main/java/shop/UserController.java:10",
        "GET /api/users/{id}": "UserController.show src/main/java/shop/UserController.java:15",
        "PUT,PATCH /api/users/a": "UserController.change src/main/java/shop/UserController.java:20",
        "PUT,PATCH /api/users/b": "UserController.change src/main/java/shop/UserController.java:20",
    },
)

ASPNET: tuple[Files, Expected] = (
    {
        "Controllers/UsersController.cs": (
            "using Microsoft.AspNetCore.Mvc;\n\nnamespace Shop;\n\n"
            '[ApiController]\n[Route("api/[controller]")]\npublic class UsersController : ControllerBase\n{\n'
            "    [HttpPost]\n    public IActionResult Create(User user)\n    {\n        return Ok();\n    }\n\n"
            '    [HttpGet("{id:int}"), Authorize]\n    public IActionResult Show(int id) => Ok();\n\n'
            '    [HttpGet("/health")]\n    public IActionResult Health() => Ok();\n}\n'
        ),
        "Program.cs": (
            "var builder = WebApplication.CreateBuilder(args);\nvar app = builder.Build();\n"
            'var orders = app.MapGroup("/orders");\norders.MapGet("/{id}", Orders.Find);\n'
            'app.MapPost("/echo", (string text) => text);\n'
            "static class Orders\n{\n    public static string Find(int id) => id.ToString();\n}\n"
        ),
    },
    {
        "POST /api/Users": "UsersController.Create Controllers/UsersController.cs:10",
        "GET /api/Users/{id:int}": "UsersController.Show Controllers/UsersController.cs:16",
        "GET /health": "UsersController.Health Controllers/UsersController.cs:19",
        "GET /orders/{id}": "Orders.Find Program.cs:8",
        "POST /echo": "(inline) Program.cs:5",
    },
)

GIN: tuple[Files, Expected] = (
    {
        "go.mod": "module example.com/shop\n\nrequire github.com/gin-gonic/gin v1.9.0\n",
        "main.go": (
            'package main\n\nimport (\n\t"example.com/shop/users"\n\n\t"github.com/gin-gonic/gin"\n)\n\n'
            'func main() {\n\tr := gin.Default()\n\tv1 := r.Group("/v1")\n\tusers.Register(v1.Group("/users"))\n'
            '\tr.GET("/ping", func(c *gin.Context) {\n\t\tc.String(200, "pong")\n\t})\n\tr.Run()\n}\n'
        ),
        "users/routes.go": (
            'package users\n\nimport "github.com/gin-gonic/gin"\n\n'
            'func Register(router *gin.RouterGroup) {\n\trouter.POST("", Create)\n'
            '\trouter.GET("/:id", check(), Show)\n}\n\n'
            "func Create(c *gin.Context) {\n}\n\nfunc Show(c *gin.Context) {\n}\n\n"
            "func check() gin.HandlerFunc {\n\treturn nil\n}\n"
        ),
    },
    {
        "POST /v1/users": "Create users/routes.go:10",
        "GET /v1/users/:id": "Show users/routes.go:13",
        "GET /ping": "(inline) main.go:13",
    },
)

RAILS: tuple[Files, Expected] = (
    {
        "config/routes.rb": (
            "Rails.application.routes.draw do\n"
            '  root "home#index"\n'
            '  get "about" => "home#about"\n\n'
            "  resources :posts, only: %i[index show] do\n"
            "    resources :comments, only: :create\n"
            "    member do\n      put :publish\n    end\n"
            "    collection { get 'drafts' }\n"
            "  end\n\n"
            "  namespace :admin, constraints: {\n    id: /[0-9]+/,\n  } do\n"
            "    resource :profile, only: [:update]\n"
            '    match "search", to: "search#run", via: [:get, :post]\n'
            "  end\n\n"
            '  scope "/api", module: "api" do\n    get "users/:id", to: "users#show"\n  end\n'
            "  draw :extra\n"
            "end\n"
        ),
        "config/routes/extra.rb": 'get "extra", to: "home#extra"\n',
        "app/controllers/home_controller.rb": (
            "class HomeController\n  def index\n  end\n\n  def about\n  end\n\n  def extra\n  end\nend\n"
        ),
        "app/controllers/posts_controller.rb": (
            "class PostsController\n  def index\n  end\n\n  def show\n  end\n\n  def publish\n  end\n\n  def drafts\n"
            "  end\nend\n"
        ),
        "app/controllers/comments_controller.rb": "class CommentsController\n  def create\n  end\nend\n",
        "app/controllers/admin/profiles_controller.rb": (
            "module Admin\n  class ProfilesController\n    def update\n    end\n  end\nend\n"
        ),
        "app/controllers/admin/search_controller.rb": ("class Admin::SearchController\n  def run\n  end\nend\n"),
        "app/controllers/users_controller.rb": "class UsersController\n  def show\n  end\nend\n",
        "app/controllers/api/users_controller.rb": "class Api::UsersController\n  def show\n  end\nend\n",
    },
    {
        "GET /": "HomeController.index app/controllers/home_controller.rb:2",
        "GET /about": "HomeController.about app/controllers/home_controller.rb:5",
        "GET /posts": "PostsController.index app/controllers/posts_controller.rb:2",
        "GET /posts/:id": "PostsController.show app/controllers/posts_controller.rb:5",
        "POST /posts/:post_id/comments": "CommentsController.create app/controllers/comments_controller.rb:2",
        "PUT /posts/:id/publish": "PostsController.publish app/controllers/posts_controller.rb:8",
        "GET /posts/drafts": "PostsController.drafts app/controllers/posts_controller.rb:11",
        "PUT,PATCH /admin/profile": "Admin.ProfilesController.update app/controllers/admin/profiles_controller.rb:3",
        "GET,POST /admin/search": "Admin.SearchController.run app/controllers/admin/search_controller.rb:2",
        "GET /api/users/:id": "Api.UsersController.show app/controllers/api/users_controller.rb:2",
        "GET /extra": "HomeController.extra app/controllers/home_controller.rb:8",
    },
)

LARAVEL: tuple[Files, Expected] = (
    {
        "composer.json": '{"require": {"laravel/framework": "^11"}}\n',
        "routes/api.php": (
            "<?php\n\nuse App\\Http\\Controllers\\Api\\UserController;\nuse App\\Http\\Controllers\\PostController;\n"
            "use Illuminate\\Support\\Facades\\Route;\n\n"
            "Route::middleware('auth')->prefix('admin')->group(function () {\n"
            "    Route::post('/users', [UserController::class, 'store']);\n"
            "    Route::controller(PostController::class)->group(function () {\n"
            "        Route::get('/feed', 'feed');\n    });\n});\n"
            "Route::apiResource('posts.comments', PostController::class)->only(['index', 'show']);\n"
            "Route::match(['put', 'patch'], 'me', 'UserController@change');\n"
            "Route::get('/ping', fn () => 'pong');\n"
        ),
        "app/Http/Controllers/Api/UserController.php": (
            "<?php\n\nnamespace App\\Http\\Controllers\\Api;\n\n"
            "class UserController\n{\n    public function store() {}\n\n"
            "    public function change() {}\n}\n"
        ),
        "app/Http/Controllers/PostController.php": (
            "<?php\n\nnamespace App\\Http\\Controllers;\n\nclass PostController\n{\n    public function feed() {}\n\n"
            "    public function index() {}\n\n    public function show() {}\n}\n"
        ),
    },
    {
        "POST /api/admin/users": "UserController.store app/Http/Controllers/Api/UserController.php:7",
        "GET /api/admin/feed": "PostController.feed app/Http/Controllers/PostController.php:7",
        "GET /api/posts/{post}/comments": "PostController.index app/Http/Controllers/PostController.php:9",
        "GET /api/posts/{post}/comments/{comment}": "PostController.show app/Http/Controllers/PostController.php:11",
        "PUT,PATCH /api/me": "UserController.change app/Http/Controllers/Api/UserController.php:9",
        "GET /api/ping": "(inline) routes/api.php:15",
    },
)

NEXT: tuple[Files, Expected] = (
    {
        "web/package.json": '{"dependencies": {"next": "15.0.0"}}\n',
        "web/app/(shop)/users/[id]/route.ts": (
            "export async function GET(request: Request) {\n  return new Response();\n}\n\n"
            "export const DELETE = async () => new Response();\n"
        ),
        "web/app/blog/[...slug]/page.tsx": "export default function Post() {\n  return <p>hi</p>;\n}\n",
        "web/app/_private/page.tsx": "export default function Hidden() {\n  return <p>hi</p>;\n}\n",
        "web/src/pages/api/cats/index.ts": "export default function handler(req, res) {\n  res.end();\n}\n",
        "other/app/page.tsx": "export default function Elsewhere() {\n  return <p>hi</p>;\n}\n",
    },
    {
        "GET /users/[id]": "GET web/app/(shop)/users/[id]/route.ts:1",
        "DELETE /users/[id]": "DELETE web/app/(shop)/users/[id]/route.ts:5",
        "GET /blog/[...slug]": "Post web/app/blog/[...slug]/page.tsx:1",
        "ANY /api/cats": "handler web/src/pages/api/cats/index.ts:1",
    },
)

APPLICATIONS: Mapping[str, tuple[Files, Expected]] = {
    "Flask": FLASK,
    "FastAPI": FASTAPI,
    "Django": DJANGO,
    "Express": EXPRESS,
    "NestJS": NEST,
    "Spring": SPRING,
    "ASP.NET": ASPNET,
    "gin": GIN,
    "Rails": RAILS,
    "Laravel": LARAVEL,
    "Next.js": NEXT,
}
